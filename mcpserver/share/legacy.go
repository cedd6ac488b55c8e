package share

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
)

// Files are the open files through which a hub reaches its Chrome. Guests are given
// duplicates, which they hold and don't use. So Chrome doesn't notice when the owner
// ends, however that happens, and the process that takes the owner's place goes on with
// it.
type Files struct {
	Note json.RawMessage // says what they are, in a line; nil if there are none
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

// sound says whether guests can be given the files.
func (f Files) sound() bool {
	return len(f.Open) > 0 && len(f.Open) <= maxFiles && soundLine(f.Note, maxView)
}

// legacy is what a guest has of its owner, to go on with when it takes the
// owner's place. Its methods may be called from any goroutine.
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

// stands is where the client stands, as the last owner said.
func (l *legacy) stands() json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.place
}

// hold keeps these files in place of those that were held.
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

// end drops the files, and all that are still to come.
func (l *legacy) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files.Close()
	l.files, l.over = Files{}, true
}

// take hands over what the guest has to this process's own hub, to which the files belong
// from then on. A hub that other processes don't share gets no files: they are closed.
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
