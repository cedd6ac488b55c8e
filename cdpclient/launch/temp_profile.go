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
	// tempLock is the file in a temporary profile that its process holds a lock on.
	tempLock = "webmcp-hub.lock"
	// unlockedAfter is how old a temporary profile without that file is that
	// nobody is just making.
	unlockedAfter = 24 * time.Hour
)

// newTempProfile makes a temporary profile, and removes those whose processes
// were killed. What release gives up goes with the process anyway.
func newTempProfile() (dir string, release func(), err error) {
	sweepTempProfiles(os.TempDir())
	if dir, err = os.MkdirTemp("", tempProfile); err != nil {
		return "", nil, fmt.Errorf("make a temporary profile: %w", err)
	}
	path := filepath.Join(dir, tempLock)
	lock := flock.New(path + ".new") // taken before anybody sees the file by its name
	if free, _ := lock.TryLock(); free {
		_ = os.Rename(lock.Path(), path)
	} // otherwise the profile will be left if this process is killed
	return dir, func() { _ = lock.Close() }, nil
}

// sweepTempProfiles removes the temporary profiles of this user in a folder whose
// processes are gone.
func sweepTempProfiles(in string) {
	found, _ := filepath.Glob(filepath.Join(in, tempProfile+"*"))
	for _, dir := range found {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !ours(info) {
			continue
		}
		lock := flock.New(filepath.Join(dir, tempLock), flock.SetFlag(os.O_RDWR)) // it isn't made
		free, err := lock.TryLock()
		if free || os.IsNotExist(err) && time.Since(info.ModTime()) > unlockedAfter {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}
