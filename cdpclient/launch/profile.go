package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// UsableProfile returns an error if Chrome can't use a folder as its profile; Chrome itself would say that the profile
// is in use. Chrome makes a missing folder, so UsableProfile then checks the folder around it.
func UsableProfile(dir string) error {
	at := dir
	for {
		_, err := os.ReadDir(at)
		if err == nil {
			break
		}
		if parent := filepath.Dir(at); errors.Is(err, fs.ErrNotExist) && parent != at {
			at = parent // the folder is made there
			continue
		}
		return unusable(dir, err)
	}
	probe, err := os.CreateTemp(at, ".webmcp-hub-*")
	if err != nil {
		return unusable(dir, err)
	}
	_ = probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return unusable(dir, err)
	}
	return nil
}

func unusable(dir string, why error) error {
	return fmt.Errorf("Chrome can't use the profile %s (%w); see that the folder belongs to you and that you may "+
		"write to it, or choose another --user-data-dir", dir, why)
}

// ProfileUser returns the process of the Chrome on this computer that uses a profile, by the profile's lock; 0 if
// there is none, or if it is unknown.
func ProfileUser(dir string) (pid int) {
	lock, err := os.Readlink(filepath.Join(dir, "SingletonLock")) // "host-pid"
	if err != nil {
		return 0
	}
	host, err := os.Hostname()
	if err != nil {
		return 0
	}
	number, here := strings.CutPrefix(lock, host+"-")
	if pid, err = strconv.Atoi(number); !here || err != nil || pid <= 0 {
		return 0
	}
	if process, err := os.FindProcess(pid); err != nil || process.Signal(syscall.Signal(0)) != nil {
		return 0 // the process has left its lock behind, or is another user's
	}
	return pid
}
