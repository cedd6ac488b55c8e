package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
					waitProcess(t, h.cmd.Process.Pid, profile)
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
		pid := filepath.Base(filepath.Dir(path))
		if names(pid, profile) && pid != fmt.Sprint(os.Getpid()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// names says whether a process runs that names the profile.
func names(pid, profile string) bool {
	cmdline, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	return strings.Contains(string(cmdline), "--user-data-dir="+profile)
}

// waitProcess waits until a hub has started a Chrome on the profile. A process that is not
// ours can't be waited for but by looking again; only the hub's children are looked at, because
// looking at all processes takes long.
func waitProcess(t *testing.T, hub int, profile string) {
	t.Helper()
	poll(t, "no Chrome was started", func() bool {
		byThread, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", hub))
		for _, path := range byThread {
			children, _ := os.ReadFile(path)
			for _, pid := range strings.Fields(string(children)) {
				if names(pid, profile) {
					return true
				}
			}
		}
		return len(byThread) == 0 && len(processes(profile)) > 0 // a kernel that doesn't say whose children there are
	})
}

// waitNoProcess waits until no process does, which takes a moment after a SIGKILL. It looks at
// all processes again only when those that it found have ended.
func waitNoProcess(t *testing.T, profile string) {
	t.Helper()
	found := processes(profile)
	poll(t, "Chrome outlived the hub", func() bool {
		if found = slices.DeleteFunc(found, func(pid string) bool { return !names(pid, profile) }); len(found) == 0 {
			found = processes(profile)
		}
		return len(found) == 0
	})
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
