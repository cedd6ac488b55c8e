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

// giveTo gives a file the owner and the group of another.
func giveTo(file *os.File, other os.FileInfo) error {
	is, err := file.Stat()
	if err != nil {
		return err
	}
	now, has := is.Sys().(*syscall.Stat_t)
	want, known := other.Sys().(*syscall.Stat_t)
	if !has || !known || now.Uid == want.Uid && now.Gid == want.Gid {
		return nil
	}
	return file.Chown(int(want.Uid), int(want.Gid))
}
