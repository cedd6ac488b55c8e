//go:build unix

package file

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// others says who else may write a file, or is empty.
func others(info fs.FileInfo) string {
	if own, ok := info.Sys().(*syscall.Stat_t); ok && own.Uid != 0 && int(own.Uid) != os.Getuid() {
		return "belongs to another user"
	}
	if info.Mode().Perm()&0o022 != 0 {
		return "can be written by others (chmod go-w makes it yours alone)"
	}
	return ""
}

// identity tells a file from one that has taken its place.
func identity(info fs.FileInfo) string {
	if is, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(is.Dev, is.Ino)
	}
	return ""
}
