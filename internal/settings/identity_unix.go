//go:build unix

package settings

import (
	"fmt"
	"io/fs"
	"syscall"
)

// identity distinguishes a file from one that has replaced it.
func identity(info fs.FileInfo) string {
	if is, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(is.Dev, is.Ino)
	}
	return ""
}
