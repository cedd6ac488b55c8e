//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package launch

import (
	"errors"
	"os"
)

var errNoLocks = errors.New("this system has no file lock that goes with its process")

// newLockFile and lockFile fail: without a lock nobody knows which temporary
// profiles are in use.
func newLockFile(string) (release func(), err error) { return nil, errNoLocks }
func lockFile(string) (release func(), err error)    { return nil, errNoLocks }

func ours(os.FileInfo) bool { return false }
