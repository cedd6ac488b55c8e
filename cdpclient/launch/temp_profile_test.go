package launch

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestTempProfilesThatWereLeft go, but for those in use or just being made.
func TestTempProfilesThatWereLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	mine, release, err := newTempProfile()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	dir := func(name string, lock bool, age time.Duration) string {
		path := filepath.Join(os.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(path, "Default"), 0o700); err != nil {
			t.Fatal(err)
		}
		if lock {
			if err := os.WriteFile(filepath.Join(path, tempLock), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		return path
	}
	left := dir(tempProfile+"left", true, 0)
	old := dir(tempProfile+"old", false, 2*unlockedAfter)
	young := dir(tempProfile+"young", false, time.Minute)
	other := dir("another-profile-x", true, 0)
	link := filepath.Join(os.TempDir(), tempProfile+"link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	sweepTempProfiles(os.TempDir())
	for path, want := range map[string]bool{mine: true, left: false, old: false, young: true, other: true, link: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v", path, !want)
		}
	}
}

// TestTempProfilesMadeTogether: nobody takes a profile that is being made for
// one that was left.
func TestTempProfilesMadeTogether(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				dir, release, err := newTempProfile()
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(filepath.Join(dir, tempLock)); err != nil {
					t.Error("the profile was taken away while it was made:", err)
				}
				_ = os.RemoveAll(dir)
				release()
			}
		})
	}
	wg.Wait()
}
