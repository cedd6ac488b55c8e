package e2e

import (
	"fmt"
	"strings"
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
	alone := pages.url("plain.html", "of=alone")
	h.call("new_page", map[string]any{"url": alone, "isolatedContext": "alone"})
	isolated := h.tabs()[alone]
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
	if now[alone] != 0 {
		t.Error("the isolated tab is open in the user's own context")
	}
	heard := strings.Join(h.heard, "\n")
	for _, told := range []string{
		fmt.Sprintf("tab %d is now tab %d", before[more], now[more]),
		fmt.Sprintf("tab %d (isolated contexts end with Chrome)", isolated),
	} {
		if n := strings.Count(heard, told); n != 1 {
			t.Errorf("the client is told %q %d times", told, n)
		}
	}
	seen = h.changes
	signalChrome(t, profile, syscall.SIGKILL)
	h.waitListedSince(seen, toolName("0", "search"))
	if now := h.tabs(); now[more] != 0 {
		t.Errorf("opened again after a second crash: %v", now)
	}
}

// TestTabsOfATakenOverChromeThatCrashedAreOpenedAgain: the hub hasn't started that Chrome itself.
func TestTabsOfATakenOverChromeThatCrashedAreOpenedAgain(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	flags := []string{"--headless", "--user-data-dir", profile, "--chrome-arg=" + pages.url("plain.html")}
	owner := startRaw(t, flags...)
	owner.initialize()
	owner.tabs()
	h := startRaw(t, flags...)
	h.initialize()
	before := h.tabs()[pages.url("plain.html")]
	h.held()
	owner.signal(syscall.SIGKILL)
	owner.waitExit()
	poll(t, "no process has taken the hub over", func() bool { // a request that was under way is answered by an error
		m := h.ask("tools/call", map[string]any{"name": "list_tabs", "arguments": map[string]any{}})
		return !strings.Contains(string(m.Result), `"isError":true`)
	})
	if now := h.tabs()[pages.url("plain.html")]; now != before {
		t.Fatalf("after the owner's end tab %d is tab %d", before, now)
	}
	signalChrome(t, profile, syscall.SIGKILL)
	var now int
	poll(t, "the tab isn't opened again", func() bool {
		m := h.ask("tools/call", map[string]any{"name": "list_tabs", "arguments": map[string]any{}})
		if strings.Contains(string(m.Result), `"isError":true`) {
			return false // Chrome is being started
		}
		now = h.tabs()[pages.url("plain.html")]
		return now != 0 && now != before
	})
	if told := fmt.Sprintf("tab %d is now tab %d", before, now); strings.Count(strings.Join(h.heard, "\n"), told) != 1 {
		t.Errorf("the client isn't told %q once", told)
	}
}
