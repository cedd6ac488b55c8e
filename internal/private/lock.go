package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// LockWait is how long whoever wants to change a file waits for others.
const LockWait = 2 * time.Second

// Lock keeps other processes, and other callers in this one, from what is done under the lock of the same path, until
// unlock is called or the process ends. It makes the file if there is none. The error names the file.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	locked, err := l.TryLock()
	if err == nil && !locked {
		locked, err = l.TryLockContext(ctx, 10*time.Millisecond)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("another webmcp-hub keeps %s locked; end it if it hangs", path)
	case err != nil:
		return nil, fmt.Errorf("%s can't be locked: %w", path, err)
	case !locked:
		return nil, fmt.Errorf("%s can't be locked: it is in use", path)
	}
	return func() { _ = l.Unlock() }, nil
}

// Replace writes a file. Whoever reads it meanwhile gets the old text or the new one.
func Replace(path string, text []byte, mode os.FileMode) error {
	return replace(path, text, func(temp *os.File) error { return temp.Chmod(mode) })
}

// Rewrite replaces the text of a file. Its mode stays, and on Unix so do its owner and its group; if they can't,
// nothing changes.
func Rewrite(path string, text []byte) error {
	is, err := os.Stat(path)
	if err != nil {
		return err
	}
	return replace(path, text, func(temp *os.File) error {
		return errors.Join(giveTo(temp, is), temp.Chmod(is.Mode().Perm()))
	})
}

func replace(path string, text []byte, prepare func(temp *os.File) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(text)
	if err := errors.Join(err, prepare(temp), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
