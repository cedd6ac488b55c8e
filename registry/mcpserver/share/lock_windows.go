package share

import (
	"fmt"
	"os"
	"syscall"
)

// lock is held until release, or until the process ends in whatever way.
type lock struct{ file *os.File }

// sharingViolation is what opening a file says that somebody keeps to himself.
const sharingViolation = syscall.Errno(32)

// acquire takes the lock, which is to have the file open and let others read
// it only, or returns errTaken at once.
func acquire(path string) (*lock, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case err == sharingViolation:
		return nil, errTaken
	case err != nil:
		return nil, fmt.Errorf("the lock %s can't be opened: %w", path, err)
	}
	f := os.NewFile(uintptr(h), path)
	note(f)
	return &lock{f}, nil
}

func (l *lock) release() { _ = l.file.Close() }
