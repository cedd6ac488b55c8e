//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package share

import (
	"fmt"
	"os"
	"syscall"
)

// lock is held until release, or until the process ends in whatever way. Its
// file stays: if it were removed, two processes could hold a lock each.
type lock struct{ file *os.File }

// acquire takes the lock, or returns errTaken at once.
func acquire(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the lock can't be opened: %w", err)
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == syscall.EWOULDBLOCK:
		_ = f.Close()
		return nil, errTaken
	case err != nil:
		_ = f.Close()
		return nil, fmt.Errorf("the lock %s can't be taken: %w", path, err)
	}
	if !same(f, path) { // somebody tidied up between the two calls
		_ = f.Close()
		return nil, errTaken
	}
	note(f)
	return &lock{f}, nil
}

func same(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(held, there)
}

func (l *lock) release() { _ = l.file.Close() }
