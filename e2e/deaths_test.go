package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// TestAttachingToACrashedPage: it has no tools, and gets them when it is reloaded.
func TestAttachingToACrashedPage(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	p := c.open(t, pages.url("shop.html"))
	two := func(tools toolList) bool { return len(pageTools(tools)) == 2 }
	before := attachHub(t, c)
	before.waitTools("the shop's tools", two)
	p.crash()
	before.waitNoPageTools()
	h := attachHub(t, c)
	poll(t, "the hub doesn't find the page", func() bool { return strings.Contains(textOf(h.call("list_webmcp_tools", nil)), "shop.html") })
	p.page("Page.reload", nil, nil)
	h.waitTools("the shop's tools", two)
}

// TestTheLaunchedChromeIsKilled during a call: the agent is told, and the hub
// starts it again. Attached, that's a row of TestLifecycle.
func TestTheLaunchedChromeIsKilled(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	h := startHub(t, "--headless", "--user-data-dir", profile, "--chrome-arg="+pages.url("lifecycle.html", "runtime=native"))
	h.waitNames(toolName("0", "a"), toolName("0", "a_hangs"))
	ctx, cancel := h.patience()
	defer cancel()
	call := h.start(ctx, toolName("0", "a_hangs"), nil)
	wantText(t, h.call(toolName("0", "a"), nil), "a ran") // so the other has begun
	select {
	case <-h.changed:
	default:
	}
	killAll(profile)
	wantError(t, h.await(call), "the connection to Chrome was lost while")
	<-h.changed
	// The call waits for Chrome, in which the page is another one.
	if got := h.call(toolName("0", "a"), nil); got.IsError {
		switch text := textOf(got); {
		case strings.Contains(text, "now names another page; list the tools again"):
		case strings.Contains(text, "was closed"): // Chrome is back already, and the page not yet
			wantError(t, got, "Chrome crashed and was started again")
		default:
			wantError(t, got, "is gone: the connection to Chrome was lost", "is being re-established")
		}
	}
	poke(h.changed)
	h.waitNames(toolName("0", "a"), toolName("0", "a_hangs"))
	wantText(t, h.call(toolName("0", "a"), nil), "a ran")
}

func killAll(profile string) {
	for _, pid := range processes(profile) {
		var n int
		if _, err := fmt.Sscan(pid, &n); err == nil {
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
}

// TestCallsAreToldThatTheHubStops, and answered before it ends.
func TestCallsAreToldThatTheHubStops(t *testing.T) {
	t.Parallel()
	c := chromeFor(t, native)
	c.open(t, pages.url("lifecycle.html", "runtime=native"))
	h := startRaw(t, "--browser-url", c.browserURL())
	h.initialize()
	h.waitListed(toolName("0", "a_hangs"))
	hangs := h.request("tools/call", map[string]any{"name": toolName("0", "a_hangs")})
	h.ask("tools/call", map[string]any{"name": toolName("0", "a")}) // so the other has begun
	h.signal(syscall.SIGTERM)
	if got := string(h.answer(hangs).Result); !strings.Contains(got, "The hub is stopping") || !strings.Contains(got, `"isError":true`) {
		t.Errorf("the call is told %s", got)
	}
	if code := h.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
