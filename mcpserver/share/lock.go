package share

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// acquire takes the lock, or returns errTaken at once. The lock is held until release is called, or until the process
// ends in whatever way. The lock file stays: if it were removed, two processes could each hold a lock.
func (p hubPaths) acquire() (release func(), err error) {
	l := flock.New(p.lock)
	free, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the lock %s can't be taken: %w", p.lock, err)
	}
	if !free || !p.isLockedBy(l) {
		_ = l.Close()
		return nil, errTaken
	}
	p.note()
	return func() { _ = l.Close() }, nil
}

// isLockedBy returns false if somebody removed the file between its opening and its locking.
func (p hubPaths) isLockedBy(l *flock.Flock) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(p.lock)
	return err == nil && os.SameFile(held, there)
}

// note writes this process's id, for those who wait in vain. The id has a file of its own because on Windows nobody
// can read a locked file.
func (p hubPaths) note() {
	_ = os.WriteFile(p.pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
}

// owner returns the id of the process that took the lock last. It returns 0 if the id is unknown or not completely
// written yet.
func (p hubPaths) owner() int {
	text, _ := os.ReadFile(p.pid)
	line, whole := strings.CutSuffix(string(text), "\n")
	if pid, err := strconv.Atoi(line); err == nil && whole {
		return pid
	}
	return 0
}

// Hold takes what the key names for this process, until release is called or the process ends. If another process has
// it, holder is that process's id, or -1 if the id is unknown.
func Hold(key string) (release func(), holder int, err error) { return hold("", key) }

func hold(dir, key string) (release func(), holder int, err error) {
	p, err := newHubPaths(dir, key)
	if err != nil {
		return nil, 0, err
	}
	release, err = p.acquire()
	switch {
	case errors.Is(err, errTaken):
		if holder = p.owner(); holder == 0 {
			holder = -1
		}
		return nil, holder, err
	case err != nil:
		return nil, 0, err
	}
	return release, 0, nil
}
