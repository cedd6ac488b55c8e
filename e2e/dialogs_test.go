package e2e

import (
	"encoding/json"
	"path/filepath"
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

// A dialog that opened before the hub came is announced to nobody, and its page
// answers nothing. Other pages that seem quiet are not taken for it.
func TestDialogBeforeTheHub(t *testing.T) {
	t.Parallel()
	discarder, err := filepath.Abs("testdata/discarder")
	if err != nil {
		t.Fatal(err)
	}
	c := ownChromeWith(t, true, "--load-extension="+discarder)
	asks, frozen := c.open(t, pages.url("shop.html", "asks")), c.open(t, pages.url("shop.html", "frozen"))
	discarded := c.open(t, pages.url("shop.html", "discarded"))
	asks.page("Page.enable", nil, nil) // who else could close it
	asks.eval(`new Promise(done => { setTimeout(() => confirm('Really?'), 10); done() })`)
	frozen.page("Page.setWebLifecycleState", map[string]any{"state": "frozen"}, nil)
	c.open(t, pages.url("plain.html"))
	if got := string((&scene{T: t, c: c, p: discarded}).extension().eval(`discard('discarded')`)); got != "true" {
		t.Fatalf("the tab was not discarded: %s", got)
	}
	h := attachHub(t, c)
	// states are those of the tabs by what their addresses end with.
	states := func() map[string]string {
		var list struct{ Tabs []struct{ URL, State string } }
		listed := textOf(h.call("list_tabs", nil))
		if err := json.Unmarshal([]byte(listed), &list); err != nil {
			t.Fatalf("%s: %v", listed, err)
		}
		all := map[string]string{}
		for _, tab := range list.Tabs {
			all[strings.TrimSuffix(tab.URL[strings.LastIndexAny(tab.URL, "?/")+1:], "=")] = tab.State
		}
		return all
	}
	poll(t, "the list doesn't say that a page does not answer", func() bool {
		return strings.HasPrefix(states()["asks"], "does not answer (a dialog may be open in it")
	})
	for _, tab := range []string{"frozen", "discarded", "plain.html"} {
		if state, there := states()[tab]; state != "" || !there {
			t.Errorf("%s: listed %t, with the state %q", tab, there, state)
		}
	}
	asks.page("Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil)
	poll(t, "the page stays without an answer", func() bool { return states()["asks"] == "" })
	h.waitTools("the tools of both pages", func(tools toolList) bool {
		n := 0
		for _, tool := range tools {
			if strings.HasSuffix(tool.Name, "_search") {
				n++
			}
		}
		return n == 2
	})
}
