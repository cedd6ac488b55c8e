package share

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
)

// Files are the open files through which a hub reaches its Chrome. Guests get duplicates, which they hold but don't
// use. So Chrome doesn't notice when the owner ends, in whatever way, and the process that takes the owner's place
// can go on with that Chrome.
type Files struct {
	Note json.RawMessage // describes the files in one line; nil if there are none
	Open []*os.File
}

// maxFiles is how many files a hub may have for its guests.
const maxFiles = 4

// Close closes the files.
func (f Files) Close() {
	for _, file := range f.Open {
		_ = file.Close()
	}
}

// sound reports whether the files can be given to guests.
func (f Files) sound() bool {
	return len(f.Open) > 0 && len(f.Open) <= maxFiles && soundLine(f.Note, maxView)
}

// legacy is what a guest has received from its owner, to use when it takes the owner's place. Any goroutine may call
// its methods.
type legacy struct {
	mu    sync.Mutex
	will  json.RawMessage // see [Hub]; nil if there is none
	place json.RawMessage // see [Guest]; nil if there is none
	files Files
	over  bool // no files are kept any more
}

func (l *legacy) setWill(will []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.will = bytes.Clone(will)
}

func (l *legacy) setPlace(place []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.place = bytes.Clone(place)
}

// stands returns where the client stands, as the last owner reported it.
func (l *legacy) stands() json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.place
}

// hold keeps these files, and closes those that were held.
func (l *legacy) hold(files Files) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		files.Close()
		return
	}
	l.files.Close()
	l.files = files
}

// drop closes the files, so that Chrome may end.
func (l *legacy) drop() { l.hold(Files{}) }

// end closes the files, and all that are still to come.
func (l *legacy) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files.Close()
	l.files, l.over = Files{}, true
}

// take hands over what the guest has received to this process's own hub, which then owns the files. A hub that
// doesn't own the place gets no files: they are closed.
func (l *legacy) take(owns bool) Owner {
	if !owns {
		l.drop()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	o := Owner{Inherited: l.will, Place: l.place, Files: l.files}
	l.files = Files{}
	return o
}
