//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package launch

import (
	"os"
	"syscall"
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

func lock(path string, flags int) (release func(), err error) {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// ours says whether a file is this user's.
func ours(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}
