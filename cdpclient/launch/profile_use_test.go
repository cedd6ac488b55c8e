//go:build unix

package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A profile that is still to be made needs a folder around it that can be written to.
func TestProfileInReadOnlyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "profile")
	if err := UsableProfile(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); err == nil {
		t.Error("looking has made a folder")
	}
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	if UsableProfile("/proc/none/profile") == nil { // nobody may make one there, not even root
		t.Error("a folder that nobody can make is usable")
	}
}

// The lock of a profile names the Chrome that uses it, as long as that runs.
func TestProfileUser(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for lock, want := range map[string]int{
		fmt.Sprintf("%s-%d", host, os.Getpid()): os.Getpid(), fmt.Sprintf("elsewhere-%d", os.Getpid()): 0,
		host + "-999999999": 0, host + "-x": 0, "": 0,
	} {
		dir := t.TempDir()
		if lock != "" {
			if err := os.Symlink(lock, filepath.Join(dir, "SingletonLock")); err != nil {
				t.Fatal(err)
			}
		}
		if got := ProfileUser(dir); got != want {
			t.Errorf("%q: got %d, want %d", lock, got, want)
		}
	}
}
