package settings

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// maxWait is how many times a changed file may change again before the change is reported.
const maxWait = 5

// WatchEvery is how often a file is checked.
const WatchEvery = time.Second

// WatchFile calls changed each time that a file has changed since was, until ctx ends. A file that can no longer be
// read counts as changed at once. Any other file may still be being written, even if it is a new file in the old
// one's place, and half a file may make sense. So WatchFile reports it only once it has stayed the same for
// [WatchEvery], or after maxWait checks if it changes all the time.
func WatchFile(ctx context.Context, path string, was Stamp, changed func()) {
	ticker := time.NewTicker(WatchEvery)
	defer ticker.Stop()
	var pending Stamp
	waited := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		is := StampOf(path)
		switch {
		case is == was:
			waited = 0
			continue
		case !is.gone && (waited == 0 || is != pending) && waited < maxWait:
			pending, waited = is, waited+1
			continue
		}
		was, waited = is, 0
		changed()
	}
}

// Stamp identifies a version of a file.
type Stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
	gone     bool
	file     string // identifies the file itself, where the system can tell
}

// StampOf returns a file's stamp. Call it before reading the file.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{gone: true}
	}
	return Stamp{modified: info.ModTime(), size: info.Size(), mode: info.Mode(), file: identity(info)}
}
