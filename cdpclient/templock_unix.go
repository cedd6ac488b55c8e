//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cdpclient

import (
	"os"
	"syscall"
)

// lockFile takes a lock that goes with the process, or fails at once.
func lockFile(path string, create bool) (release func(), err error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
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
