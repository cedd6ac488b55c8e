package e2e

import (
	"syscall"
	"testing"
)

// TestTabsOfAChromeThatCrashedAreOpenedAgain, once each, as other tabs; those of a Chrome that
// crashes again at once are not.
func TestTabsOfAChromeThatCrashedAreOpenedAgain(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	h := startRaw(t, "--headless", "--automation", "--user-data-dir", profile, "--chrome-arg="+pages.url("shop.html"))
	h.initialize()
	h.searches()
	more := pages.url("plain.html", "of=more")
	h.call("open_tab", map[string]any{"url": more})
	before := h.tabs()
	// An address that is too long for a process's arguments doesn't keep Chrome from starting.
	h.call("new_page", map[string]any{"url": pages.url("plain.html", "of=long")})
	h.call("evaluate_script", map[string]any{"function": "() => { history.pushState(0, '', '?of=' + 'x'.repeat(200000)) }"})
	seen := h.changes
	signalChrome(t, profile, syscall.SIGKILL)
	h.waitListedSince(seen, toolName("0", "search"))
	var now map[string]int
	poll(t, "the tabs aren't opened again", func() bool {
		now = h.tabs()
		return now[more] != 0 && now[pages.url("shop.html")] != 0
	})
	if len(now) != len(before) || now[more] == before[more] {
		t.Errorf("the tabs are %v, they were %v", now, before)
	}
	seen = h.changes
	signalChrome(t, profile, syscall.SIGKILL)
	h.waitListedSince(seen, toolName("0", "search"))
	if now := h.tabs(); now[more] != 0 {
		t.Errorf("opened again after a second crash: %v", now)
	}
}
