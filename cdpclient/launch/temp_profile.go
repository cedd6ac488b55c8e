package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	tempProfile = "webmcp-hub-profile-"
	// tempLock is the file in a temporary profile that the profile's process keeps locked.
	tempLock = "webmcp-hub.lock"
	// unlockedAfter is the age at which a temporary profile without that file is no longer being made.
	unlockedAfter = 24 * time.Hour
)

// newTempProfile makes a temporary profile, and removes those whose processes were killed. release unlocks the
// profile; the end of the process does so, too.
func newTempProfile() (dir string, release func(), err error) {
	sweepTempProfiles(os.TempDir())
	if dir, err = os.MkdirTemp("", tempProfile); err != nil {
		return "", nil, fmt.Errorf("make a temporary profile: %w", err)
	}
	path := filepath.Join(dir, tempLock)
	lock := flock.New(path + ".new") // locked before the file gets its name
	if free, _ := lock.TryLock(); free {
		_ = os.Rename(lock.Path(), path)
	} // otherwise the profile will remain if this process is killed
	return dir, func() { _ = lock.Close() }, nil
}

// sweepTempProfiles removes this user's temporary profiles in a folder if their processes are gone.
func sweepTempProfiles(in string) {
	found, _ := filepath.Glob(filepath.Join(in, tempProfile+"*"))
	for _, dir := range found {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !ours(info) {
			continue
		}
		lock := flock.New(filepath.Join(dir, tempLock), flock.SetFlag(os.O_RDWR)) // doesn't create the file
		free, err := lock.TryLock()
		if free || os.IsNotExist(err) && time.Since(info.ModTime()) > unlockedAfter {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}
