package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// searches lists until the shop's tool is there, and calls it.
func (h *rawHub) searches() {
	h.t.Helper()
	h.waitListed(toolName("0", "search"))
	m := h.ask("tools/call", map[string]any{"name": toolName("0", "search"), "arguments": map[string]any{"q": "it"}})
	if m.Error != nil || !strings.Contains(string(m.Result), "found it") {
		h.t.Fatalf("calling the shop's search: %s %+v", m.Result, m.Error)
	}
}

// chromes counts the browsers on a profile, whose helpers have a --type.
func chromes(profile string) (n int) {
	for _, pid := range processes(profile) {
		cmdline, err := os.ReadFile("/proc/" + pid + "/cmdline")
		if err == nil && !strings.Contains(string(cmdline), "--type=") {
			n++
		}
	}
	return n
}

// TestHubsShareOneChrome: two clients start a hub each on one profile. The second
// joins the first, and takes over when that is killed.
func TestHubsShareOneChrome(t *testing.T) {
	chromePath(t)
	profile := t.TempDir()
	flags := []string{"--headless", "--user-data-dir", profile, "--chrome-arg=" + pages.url("shop.html")}
	first := startRaw(t, flags...)
	first.initialize()
	first.searches()
	second := startRaw(t, flags...)
	second.initialize()
	second.searches()
	third := startRaw(t, flags...)
	third.initialize()
	third.searches()
	if n := chromes(profile); n != 1 {
		t.Errorf("%d Chromes run", n)
	}

	before := []int{second.changes, third.changes}
	begun := time.Now()
	first.signal(syscall.SIGKILL)
	first.waitExit()
	for i, h := range []*rawHub{second, third} {
		for h.changes == before[i] {
			h.read()
		}
		h.searches()
	}
	t.Logf("the next hub had the tools %v after the owner was killed", time.Since(begun))
	if n := chromes(profile); n != 1 {
		t.Errorf("%d Chromes run", n)
	}

	// Whoever took over stays for the other, whose client goes on.
	owner, guest := second, third
	if strings.Contains(third.stderr.String(), "this process takes its place") {
		owner, guest = third, second
	}
	_ = owner.stdin.Close()
	guest.searches()
	_ = guest.stdin.Close()
	for _, h := range []*rawHub{guest, owner} {
		if code := h.waitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	waitNoProcess(t, profile)
}

// TestACallThatItsHubLeftBehind is answered when the owner goes.
func TestACallThatItsHubLeftBehind(t *testing.T) {
	c := ownChrome(t)
	p := c.open(t, pages.url("behaviours.html"))
	flags := []string{"--browser-url", c.browserURL()}
	first := startRaw(t, flags...)
	first.initialize()
	first.waitListed(toolName("0", "hangs"))
	second := startRaw(t, flags...)
	second.initialize()
	second.waitListed(toolName("0", "hangs"))
	call := second.request("tools/call", map[string]any{"name": toolName("0", "hangs"), "arguments": map[string]any{}})
	p.happened("hanging")
	first.signal(syscall.SIGKILL)
	first.waitExit()
	if m := second.answer(call); m.Error != nil || !strings.Contains(string(m.Result), "may have taken effect") {
		t.Errorf("the call was answered %s %+v", m.Result, m.Error)
	}
	second.waitListedAnew(toolName("0", "hangs"))
}

// TestHubsThatDiffer: other flags are never ignored.
func TestHubsThatDiffer(t *testing.T) {
	chromePath(t)
	profile := t.TempDir()
	first := startRaw(t, "--headless", "--user-data-dir", profile)
	first.initialize()
	second := startRaw(t, "--headless", "--user-data-dir", profile, "--max-pages", "3")
	if code := second.waitExit(); code != 1 || !strings.Contains(second.stderr.String(), "--max-pages 2000, this one 3") {
		t.Errorf("exit code %d", code)
	}
	alone := startRaw(t, "--headless", "--isolated")
	alone.initialize()
}
