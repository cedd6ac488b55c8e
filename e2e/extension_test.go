package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const pairingToken = "e2e-pairing-token"

// An extended Chromium has the extension loaded.
type extended struct {
	*chrome
	t *testing.T
}

func extendedChrome(t *testing.T, webmcp bool, more ...string) extended {
	t.Helper()
	extension, err := filepath.Abs("../extension")
	if err != nil {
		t.Fatal(err)
	}
	return extended{ownChromeWith(t, webmcp, append(more, "--load-extension="+extension)...), t}
}

// popup opens the extension's popup as a tab.
func (c extended) popup() *tab {
	c.t.Helper()
	return c.open(c.t, "chrome-extension://"+extensionID+"/popup.html")
}

// pair enters the token and the port in the popup, as a user does.
func (c extended) pair(port, token string) {
	c.t.Helper()
	p := c.popup()
	p.waitFor(`document.getElementById('port').value !== ''`)
	p.eval(fmt.Sprintf(`document.getElementById('port').value = %q, document.getElementById('token').value = %q, document.getElementById('save').click()`, port, token))
	p.waitFor(`document.getElementById('token').value === ''`)
	p.close()
}

// waitFor waits until an expression is true in the page.
func (p *tab) waitFor(expression string) {
	p.t.Helper()
	p.eval(`new Promise(resolve => { const look = () => (` + expression + `) ? resolve(true) : setTimeout(look, 20); look(); })`)
}

// hubAndChrome are a scripted hub and a Chromium whose extension is paired with it.
func hubAndChrome(t *testing.T, webmcp bool) (*scriptedHub, extended) {
	t.Helper()
	h := startScriptedHub(t, pairingToken, "")
	c := extendedChrome(t, webmcp)
	c.pair(h.port, pairingToken)
	h.wait("the extension", func() bool { return h.browser != nil })
	return h, c
}

func TestExtensionTellsTabsAndTools(t *testing.T) {
	for _, r := range []runtime{native, mcpb5, mcpb2} {
		t.Run(string(r), func(t *testing.T) {
			if r != native {
				needNPM(t)
			}
			h, c := hubAndChrome(t, r == native)
			p := c.open(t, pages.url("dynamic.html", "runtime="+string(r)))
			id := h.tab("dynamic.html")
			h.wait("its title", func() bool { return h.tabs[id].Title != "" && h.tabs[id].Doc != "" })
			_ = p

			c.open(t, pages.url("behaviours.html", "runtime="+string(r)))
			id = h.tab("behaviours.html")
			h.has(id, "text", "echo", "throws", "hangs")
			if got := h.call(id, "text", nil); !strings.Contains(got, `"plain"`) {
				t.Errorf("text answered %s", got)
			}
			var echoed struct{ Content []struct{ Text string } }
			if err := json.Unmarshal([]byte(h.call(id, "echo", map[string]any{"value": []any{1, "zwei"}})), &echoed); err != nil {
				t.Fatal(err)
			}
			if got := echoed.Content[0].Text; got != `{"value":[1,"zwei"]}` {
				t.Errorf("echo answered %s", got)
			}
			if got := h.call(id, "object", nil); !strings.Contains(got, `total`) {
				t.Errorf("object answered %s", got)
			}
			t.Log(h.call(id, "throws", nil), h.call(id, "says-error", nil), h.call(id, "nothing", nil))
		})
	}
}
