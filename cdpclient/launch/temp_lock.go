package launch

import (
	"errors"
	"os"

	"github.com/gofrs/flock"
)

// newLockFile makes a file that this process has locked before anybody sees it
// by its name. The lock goes with the process.
func newLockFile(path string) (release func(), err error) {
	made := path + ".new"
	release, err = lock(made, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(made, path); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// lockFile takes the lock of a file that is there, or fails at once.
func lockFile(path string) (release func(), err error) { return lock(path, os.O_RDWR) }

var errLocked = errors.New("another process has the lock")

func lock(path string, flags int) (release func(), err error) {
	l := flock.New(path, flock.SetFlag(flags), flock.SetPermissions(0o600))
	switch locked, err := l.TryLock(); {
	case err != nil:
		return nil, err
	case !locked:
		return nil, errLocked
	}
	return func() { _ = l.Close() }, nil
}
