package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestProfileInUse: a Chrome that uses the profile is in the way, unless it is that of the hub that would be joined, or
// no Chrome would be started.
func TestProfileInUse(t *testing.T) {
	host, err := os.Hostname()
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the profile has no lock that names its Chrome")
	}
	dir := t.TempDir()
	if err := os.Symlink(fmt.Sprintf("%s-%d", host, os.Getpid()), filepath.Join(dir, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		urls  []string
		joins int
		inWay bool
	}{{nil, 0, true}, {nil, 7, false}, {[]string{"http://127.0.0.1:9222"}, 0, false}} {
		f := Doctor{UserDataDir: dir, BrowserURLs: c.urls}.profile(c.joins)
		if len(f) != 1 || f[0].good || f[0].note == c.inWay || (f[0].remedy != "") != c.inWay {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// TestEndIt: nobody is told to kill 0, which would end the shell that it is typed in.
func TestEndIt(t *testing.T) {
	for pid, want := range map[int]string{
		0:  "close the client that started it",
		12: "close the client that started it, or end it: kill 12",
	} {
		if got := endIt(pid); got != want {
			t.Errorf("%d: got %q, want %q", pid, got, want)
		}
	}
}
