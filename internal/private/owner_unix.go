//go:build unix

package private

import (
	"os"
	"syscall"
)

// ownerOf returns the user id of a file's owner; known is false if the system doesn't tell.
func ownerOf(info os.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
