package e2e

import (
	"strings"
	"testing"
	"time"
)

// A dialog that opened before any call, which nobody can see or click.
func TestDialogBeforeACall(t *testing.T) {
	t.Parallel()
	open := `new Promise(done => { setTimeout(() => { window.answer = confirm('Really?') }, 10); done() })`
	t.Run("is reported", func(t *testing.T) {
		c := nativeChrome(t)
		p := c.open(t, pages.url("shop.html"))
		h := attachHub(t, c)
		h.waitTool(toolName("0", "search"))
		p.page("Page.enable", nil, nil) // who else could close it
		p.eval(open)
		poll(t, "the list doesn't show the dialog", func() bool {
			return strings.Contains(textOf(h.call("list_webmcp_tools", nil)), `"state":"dialog open: confirm \"Really?\""`)
		})
		begin := time.Now()
		wantError(t, h.call(toolName("0", "search"), map[string]any{"q": "x"}), `a dialog is open in its page`, `confirm "Really?"`, "--dialogs=dismiss")
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("that took %v", took)
		}
		p.page("Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil)
		poll(t, "the page stays behind its dialog", func() bool {
			return textOf(h.call(toolName("0", "search"), map[string]any{"q": "x"})) == "found x"
		})
	})
	for policy, answer := range map[string]string{"dismiss": "false", "accept": "true"} {
		t.Run("with --dialogs="+policy, func(t *testing.T) {
			c := nativeChrome(t)
			p := c.open(t, pages.url("shop.html"))
			h := attachHub(t, c, "--dialogs="+policy)
			h.waitTool(toolName("0", "search"))
			p.eval(open)
			poll(t, "the dialog was not answered as the policy says", func() bool { return string(p.eval(`String(window.answer)`)) == `"`+answer+`"` })
			wantText(t, h.call(toolName("0", "search"), map[string]any{"q": "x"}), "found x")
		})
	}
}
