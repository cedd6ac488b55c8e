package settings

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// maxWait is how many times a file may be found changed again before that is told.
const maxWait = 5

// Every is how often a file is looked at.
const WatchEvery = time.Second

// Watch has changed called each time that a file has changed since was, until ctx ends. A
// file that can't be read any more has changed, too, and that is told at once. Another one may
// still be being written, also where it is a new file in the place of the old one; it has
// changed once it has been left alone for [Every]: half of it may make sense, too. Somebody who
// writes it all the time has it told after maxWait.
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

// Stamp tells a file from what it was before.
type Stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
	gone     bool
	file     string // which of all files it is, where that can be told
}

// StampOf is a file's stamp. It is taken before the file is read.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{gone: true}
	}
	return Stamp{modified: info.ModTime(), size: info.Size(), mode: info.Mode(), file: identity(info)}
}
