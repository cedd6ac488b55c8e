package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestChromeIsStartedWhenItIsNeeded: not for a client that only looks whether the
// hub works, and not again when its user has closed it, before a call needs it.
func TestChromeIsStartedWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	flags := []string{"--headless", "--user-data-dir", profile, "--chrome-arg=" + pages.url("shop.html")}
	looks := startRaw(t, flags...)
	looks.initialize()
	looks.ask("tools/list", nil)
	_ = looks.stdin.Close()
	if code := looks.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if there, err := os.ReadDir(profile); err != nil || len(there) > 0 {
		t.Errorf("Chrome was started: %v, %v", there, err)
	}

	h := startRaw(t, flags...)
	h.initialize()
	if m := h.ask("tools/call", map[string]any{"name": "list_tabs", "arguments": map[string]any{}}); !strings.Contains(string(m.Result), "shop.html") {
		t.Errorf("list_tabs: %s %+v", m.Result, m.Error)
	}
	h.searches()
	seen := h.changes
	signalChrome(t, profile, syscall.SIGTERM) // as closing its window does
	for h.changes == seen {
		h.read()
	}
	waitNoProcess(t, profile)
	if got := string(h.ask("tools/list", nil).Result); strings.Contains(got, toolName("0", "search")) {
		t.Errorf("listed after Chrome was closed: %s", got)
	}
	if n := chromes(profile); n != 0 {
		t.Errorf("%d Chromes run", n)
	}
	if m := h.ask("tools/call", map[string]any{"name": "list_webmcp_tools", "arguments": map[string]any{}}); strings.Contains(string(m.Result), "was closed") {
		t.Errorf("list_webmcp_tools: %s %+v", m.Result, m.Error)
	}
	h.searches()
	// One that crashes is started again by itself.
	seen = h.changes
	signalChrome(t, profile, syscall.SIGKILL)
	h.waitListedSince(seen, toolName("0", "search"))
}

// TestChromeIsStartedForAClientThatStays, and at once where that is asked for.
func TestChromeIsStartedForAClientThatStays(t *testing.T) {
	t.Parallel()
	chromePath(t)
	for _, more := range [][]string{nil, {"--launch-at-start"}} {
		profile := t.TempDir()
		h := startRaw(t, append(slices.Clone(more), "--headless", "--user-data-dir", profile, "--chrome-arg="+pages.url("shop.html"))...)
		h.initialize()
		h.searches()
	}
}

// TestTheHubThatHasTheProfileIsNamed by one that is to start a Chrome there itself.
func TestTheHubThatHasTheProfileIsNamed(t *testing.T) {
	t.Parallel()
	chromePath(t)
	profile := t.TempDir()
	first := startRaw(t, "--headless", "--user-data-dir", profile, "--chrome-arg="+pages.url("shop.html"))
	first.initialize()
	first.searches()
	second := startRaw(t, "--headless", "--user-data-dir", profile, "--mode", "focus")
	second.initialize()
	m := second.ask("tools/call", map[string]any{"name": "connect_browser", "arguments": map[string]any{"launch": true}})
	if got := string(m.Result); !strings.Contains(got, fmt.Sprintf("webmcp-hub process %d", first.cmd.Process.Pid)) || !strings.Contains(got, "--launch") {
		t.Errorf("connect_browser: %s %+v", m.Result, m.Error)
	}
}

// signalChrome signals the browser on a profile, not its helpers.
func signalChrome(t *testing.T, profile string, s syscall.Signal) {
	t.Helper()
	for _, pid := range processes(profile) {
		cmdline, err := os.ReadFile("/proc/" + pid + "/cmdline")
		if err != nil || strings.Contains(string(cmdline), "--type=") {
			continue
		}
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(n, s); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTemporaryProfilesGo when demo and doctor are interrupted, and those of killed
// ones at the next start.
func TestTemporaryProfilesGo(t *testing.T) {
	t.Parallel()
	chromePath(t)
	for _, command := range []string{"demo", "doctor"} {
		t.Run(command, func(t *testing.T) {
			temp := t.TempDir()
			profiles := func() []string {
				found, err := filepath.Glob(filepath.Join(temp, "webmcp-hub-profile-*"))
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			interrupted := func(s syscall.Signal) error {
				cmd := exec.Command(hubUnderTest(t), command)
				cmd.Env = append(environ(t), "TMPDIR="+temp)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				poll(t, "Chrome isn't started", func() bool {
					in, _ := filepath.Glob(filepath.Join(temp, "webmcp-hub-profile-*", "Default"))
					return len(in) > 0
				})
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				return cmd.Wait()
			}
			if err := interrupted(syscall.SIGINT); err == nil || len(profiles()) > 0 {
				t.Errorf("interrupted: %v; left %q", err, profiles())
			}
			_ = interrupted(syscall.SIGKILL)
			if len(profiles()) != 1 {
				t.Fatalf("there are %q", profiles())
			}
			waitNoProcess(t, temp)
			// The next one takes it away as it starts, and its own when it is terminated.
			left := profiles()[0]
			if err := os.RemoveAll(filepath.Join(left, "Default")); err != nil {
				t.Fatal(err)
			}
			if err := interrupted(syscall.SIGTERM); err == nil || len(profiles()) > 0 {
				t.Errorf("%v; left %q", err, profiles())
			}
		})
	}
}
