package e2e

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A pairing is what a hub and an extension share.
type pairing struct{ port, token string }

// newPairing makes the token of hubs with a configuration of their own. "extension pair" would print it: see paired.
func newPairing(t *testing.T) pairing {
	t.Helper()
	config, token := t.TempDir(), rand.Text()
	setenv(t, "XDG_CONFIG_HOME", config)
	err := os.Mkdir(filepath.Join(config, "webmcp-hub"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(config, "webmcp-hub", "extension-token"), []byte(token), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pairing{freePort(t), token}
}

func (p pairing) flags() []string {
	return []string{"--extension", "--extension-port", p.port, "--no-share"}
}

// TestExtensionWithHub: the whole way, from a page by the extension and the hub to a client, and back.
func TestExtensionWithHub(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	h := startHub(t, pair.flags()...)
	c := sharedExtended(t, true)
	p := c.open(t, pages.url("dynamic.html"))
	c.pair(pair.port, pair.token)
	name := func(tool string) string { return toolName("0", tool) }
	h.waitNames(name("first"), name("unlock"))
	wantText(t, h.call(name("first"), nil), "first ran")
	p.eval(`add('second')`)
	h.waitNames(name("first"), name("unlock"), name("second"))
	wantText(t, h.call(name("unlock"), nil), "unlocked")
	h.waitTool(name("secret"))

	p.navigate(pages.url("behaviours.html"))
	h.waitTool(name("hangs"))
	wantError(t, h.call(name("throws"), nil))
	ctx, cancel := h.patience()
	defer cancel()
	call := h.start(ctx, name("hangs"), nil)
	p.happened("hanging")
	p.navigate(pages.url("plain.html"))
	wantError(t, h.await(call), "navigated to")
	h.waitNoPageTools()

	if got := textOf(h.call("list_tabs", nil)); !strings.Contains(got, "plain.html") {
		t.Errorf("list_tabs says %s", got)
	}
	if got := textOf(h.call("open_tab", map[string]any{"url": pages.url("lifecycle.html", "tool=opened")})); !strings.Contains(got, "opened") {
		t.Errorf("open_tab says %s", got)
	}
	h.waitNames(toolName("1", "opened"), toolName("1", "opened_hangs"))
}

// TestExtensionAndHubRestart: another hub has the same tools, without a hand at the browser.
func TestExtensionAndHubRestart(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	c := sharedExtended(t, true)
	c.open(t, pages.url("lifecycle.html", "tool=a"))
	c.pair(pair.port, pair.token)
	for _, which := range []string{"the first hub", "the next hub"} {
		t.Run(which, func(t *testing.T) { // a hub ends with its test
			h := startHub(t, pair.flags()...)
			h.waitNames(toolName("0", "a"), toolName("0", "a_hangs"))
			wantText(t, h.call(toolName("0", "a"), nil), "a ran")
		})
	}
}
