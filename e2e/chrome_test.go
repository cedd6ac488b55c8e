package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A chrome is a Chromium that the test started and drives; the hub
// attaches to it like to a user's.
type chrome struct {
	cmd     *exec.Cmd
	profile string
	wsURL   string
	exited  chan struct{}
	*driver
}

// nativeChrome is a shared Chromium with WebMCP switched on, without tabs.
func nativeChrome(t *testing.T) *chrome { return withNative.lend(t) }

// plainChrome is a shared Chromium without native WebMCP, without tabs.
func plainChrome(t *testing.T) *chrome { return withoutNative.lend(t) }

// chromeFor is a shared Chromium on which a runtime is the only one.
func chromeFor(t *testing.T, r runtime) *chrome {
	if r == native {
		return nativeChrome(t)
	}
	needNPM(t)
	return plainChrome(t)
}

// forget removes the profile of a Chromium that was killed. Its last helpers may
// still write a file while its folder is being removed.
func (c *chrome) forget() {
	for range 100 {
		if os.RemoveAll(c.profile) == nil {
			return
		}
	}
}

// ownChrome is a Chromium for this test alone, without tabs, for tests that harm it. No other
// Chromium gets its port, not even after its end, when a hub still looks for it there.
func ownChrome(t *testing.T) *chrome { return ownChromeWith(t, true) }

func ownChromeWith(t *testing.T, webmcp bool, more ...string) *chrome {
	t.Helper()
	c := mustLaunch(t, webmcp, append(slices.Clone(more), "--remote-debugging-port="+freePort(t))...) // the last one counts
	c.closeTabs(t)
	t.Cleanup(func() {
		c.kill()
		c.forget()
	})
	return c
}

func mustLaunch(t *testing.T, webmcp bool, more ...string) *chrome {
	t.Helper()
	profile, err := os.MkdirTemp("", "webmcp-e2e-profile-")
	if err != nil {
		t.Fatal(err)
	}
	c, err := launch(chromePath(t), profile, "0", webmcp, more...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// chromePath finds the Chromium to test with.
func chromePath(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "google-chrome-beta", "google-chrome-unstable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "no Chromium or Chrome on the PATH (make test installs one)")
	return ""
}

// costly are features that take more than half of the processor's time of opening
// and closing a tab, and that no test is about: two pages behind the address bar
// of each window, which a hub's Chromium without a window doesn't have either, and a
// process in reserve.
var costly = []string{"WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"}

// throttled, among the arguments of a Chromium, leaves Chrome's ways with tabs
// behind others as users have them: a hidden page's timers run once a second.
const throttled = "--throttled"

// launch starts a Chromium on the profile and waits until it listens.
func launch(path, profile, port string, webmcp bool, more ...string) (*chrome, error) {
	args := []string{
		"--disable-gpu", "--no-first-run", "--disable-sync", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update",
		"--remote-debugging-port=" + port, "--user-data-dir=" + profile,
	}
	if !slices.Contains(more, windowed) {
		args = append(args, "--headless")
	}
	if !slices.Contains(more, throttled) {
		args = append(args, "--disable-background-timer-throttling", "--disable-renderer-backgrounding")
	}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	if webmcp {
		args = append(args, "--enable-features=WebMCP")
	}
	args = append(args, "--disable-features="+strings.Join(costly, ","))
	args = append(args, more...)
	cmd := exec.Command(path, append(args, "about:blank")...)
	cmd.SysProcAttr = ownGroup()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	c := &chrome{cmd: cmd, profile: profile, exited: make(chan struct{})}
	listening := make(chan string, 1)
	go c.run(stderr, listening)
	var ok bool
	if c.wsURL, ok = <-listening; !ok {
		return nil, fmt.Errorf("%s ended before it listened", path)
	}
	if c.driver, err = dialDriver(c.wsURL); err != nil {
		c.kill()
		return nil, err
	}
	if err := c.awaitFirstTab(); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

// awaitFirstTab waits for the tab that a Chromium begins with: it listens before
// that is there, and a tab that comes while a test runs is one too many.
func (c *chrome) awaitFirstTab() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if pages, err := c.pageTargets(ctx); err != nil || len(pages) > 0 {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the Chromium has no tab: %w", ctx.Err())
		}
	}
}

// run starts the Chromium and stays until its end, on one thread: see ownGroup.
// It sends the address that the Chromium listens on.
func (c *chrome) run(stderr io.Reader, listening chan<- string) {
	goruntime.LockOSThread()
	defer close(c.exited)
	defer close(listening)
	if err := c.cmd.Start(); err != nil {
		return
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if _, url, ok := strings.Cut(lines.Text(), "DevTools listening on "); ok {
			listening <- url
		}
	}
	_ = c.cmd.Wait()
}

// kill ends the Chromium at once, with all its processes, as a crash would.
func (c *chrome) kill() {
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	<-c.exited
	if c.driver != nil {
		c.driver.close()
	}
}

// browserURL is what a user passes to --browser-url.
func (c *chrome) browserURL() string {
	u, _ := url.Parse(c.wsURL)
	return "http://" + u.Host
}

func (c *chrome) debugPort() string {
	u, _ := url.Parse(c.wsURL)
	return u.Port()
}

// closeTabs leaves the Chromium running, with no tab open. Chrome forgets to close
// a tab whose next page comes just then, as that of a tab it has just begun with.
func (c *chrome) closeTabs(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		pages, err := c.pageTargets(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		if len(pages) == 0 {
			return
		}
		for _, id := range pages { // one may be gone already
			_ = c.call(ctx, "", "Target.closeTarget", map[string]any{"targetId": id}, nil)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Errorf("tabs that could not be closed: %v", pages)
			return
		}
	}
}

// pageTargets are the ids of the open tabs.
func (c *chrome) pageTargets(ctx context.Context) (ids []string, err error) {
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	err = c.call(ctx, "", "Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			ids = append(ids, target.TargetID)
		}
	}
	return ids, err
}
