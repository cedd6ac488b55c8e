//go:build unix

package private

import (
	"os"
	"syscall"
)

// ownerOf is the number of a file's owner, and whether the system has such.
func ownerOf(info os.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
