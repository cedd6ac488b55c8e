//go:build unix

package share

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// defaultDir returns the same folder for all processes of the user, whatever environment their clients gave them.
func defaultDir() (string, error) {
	uid := strconv.Itoa(os.Geteuid())
	if run := filepath.Join("/run/user", uid); private(run) == nil {
		return filepath.Join(run, "webmcp-hub"), nil
	}
	return "/tmp/webmcp-hub-" + uid, nil
}

// private says why a folder may be accessible to others, or returns nil. A link to a private folder is not private,
// because whoever made the link could change it.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is in the way of the folder in which hubs meet; remove it", dir)
	case !ok || int64(stat.Uid) != int64(os.Geteuid()):
		return fmt.Errorf("the folder %s, in which hubs meet, belongs to another user; have it removed", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("the folder %s, in which hubs meet, is open to other users (mode %#o); run: chmod 700 %s",
			dir, info.Mode().Perm(), dir)
	}
	return nil
}
