package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTheLaunchedChromeDiesWithTheHub, however the hub ends.
func TestTheLaunchedChromeDiesWithTheHub(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("needs /proc to look for left-over processes")
	}
	for _, end := range []string{"end of stdin", "SIGTERM", "SIGINT", "SIGKILL"} {
		for _, when := range []string{"at work", "while starting"} {
			t.Run(end+" "+when, func(t *testing.T) {
				chromePath(t)
				profile := t.TempDir()
				h := startRaw(t, "--launch", "--headless", "--user-data-dir", profile, "--chrome-arg="+pages.url("shop.html"))
				h.initialize()
				if when == "at work" {
					h.waitListed("webmcp_localhost_" + pages.port() + "_page")
				} else {
					waitProcess(t, profile)
				}
				switch end {
				case "SIGTERM":
					h.signal(syscall.SIGTERM)
				case "SIGINT":
					h.signal(syscall.SIGINT)
				case "SIGKILL":
					h.signal(syscall.SIGKILL)
				default:
					_ = h.stdin.Close()
				}
				code := h.waitExit()
				if end != "SIGKILL" && code != 0 {
					t.Errorf("exit code %d", code)
				}
				waitNoProcess(t, profile)
			})
		}
	}
}

// processes are the running processes that name the profile.
func processes(profile string) (pids []string) {
	cmdlines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range cmdlines {
		cmdline, _ := os.ReadFile(path)
		pid := filepath.Base(filepath.Dir(path))
		if strings.Contains(string(cmdline), "--user-data-dir="+profile) && pid != fmt.Sprint(os.Getpid()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// waitProcess waits until a Chrome runs on the profile. A process that is not
// ours can't be waited for but by looking again.
func waitProcess(t *testing.T, profile string) {
	t.Helper()
	poll(t, "no Chrome was started", func() bool { return len(processes(profile)) > 0 })
}

// waitNoProcess waits until none does, which takes a moment after a SIGKILL.
func waitNoProcess(t *testing.T, profile string) {
	t.Helper()
	poll(t, "Chrome outlived the hub", func() bool { return len(processes(profile)) == 0 })
}

// poll looks until it's so. It's for what sends no event: foreign processes.
func poll(t *testing.T, failure string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal(failure)
		}
	}
}

func TestIsolatedProfileIsThrownAway(t *testing.T) {
	t.Parallel()
	chromePath(t)
	tmp := t.TempDir()
	setenv(t, "TMPDIR", tmp)
	h := startRaw(t, "--isolated", "--headless", "--chrome-arg="+pages.url("shop.html"))
	h.initialize()
	h.waitListed("webmcp_localhost_" + pages.port() + "_page")
	_ = h.stdin.Close()
	if code := h.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}
