package filewatch

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// maxWait is how many times a file may be found changed again before that is told.
const maxWait = 5

// Every is how often a file is looked at.
const Every = time.Second

// Watch has changed called each time that a file has changed since was, until ctx ends. A
// file that can't be read any more has changed, too. One that is being written has once it
// has been left alone for [Every]: half of it may make sense, too. Somebody who writes it
// all the time has it told after maxWait.
func Watch(ctx context.Context, path string, was Stamp, changed func()) {
	ticker := time.NewTicker(Every)
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
		case is.inPlaceOf(was) && (waited == 0 || is != pending) && waited < maxWait:
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

// inPlaceOf says that it may be a file that is being written: another one that was put in
// its place is complete, and one that is gone or not a file won't get better.
func (s Stamp) inPlaceOf(was Stamp) bool {
	return !s.gone && (was.gone || s.file == "" || s.file == was.file)
}

// StampOf is a file's stamp. It is taken before the file is read.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{gone: true}
	}
	return Stamp{modified: info.ModTime(), size: info.Size(), mode: info.Mode(), file: identity(info)}
}
