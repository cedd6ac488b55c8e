package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// automatedChrome is a Chromium with the extension as install --automation writes it, and a hub that it is
// paired with.
func automatedChrome(t *testing.T, more ...string) (*hub, extended) {
	t.Helper()
	pair := newPairing(t)
	dir := filepath.Join(t.TempDir(), "extension")
	if _, said, code := runHub(t, "extension", "install", "--automation", dir); code != 0 {
		t.Fatalf("extension install: %s", said)
	}
	h := startHub(t, append(append(pair.flags(), "--automation=all"), more...)...)
	c := extended{ownChromeWith(t, true, "--load-extension="+dir), t}
	c.pair(pair.port, pair.token)
	return h, c
}

// TestExtensionAutomation: the browser tools in a tab that its browser's extension tells of.
func TestExtensionAutomation(t *testing.T) {
	t.Parallel()
	h, c := automatedChrome(t)
	c.open(t, pages.url("dynamic.html"))
	h.waitTool(toolName("0", "first"))
	got := textOf(h.call("evaluate_script", map[string]any{"function": "() => document.title + ' ' + (6*7)"}))
	if !strings.Contains(got, "42") {
		t.Fatalf("evaluate_script says %s", got)
	}
	if got := textOf(h.call("take_snapshot", nil)); !strings.Contains(got, "dynamic.html") {
		t.Errorf("take_snapshot says %s", got)
	}
}
