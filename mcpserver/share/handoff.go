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

// handoff is what a guest has received from its owner, to use when it takes the owner's place. Any goroutine may
// call its methods.
type handoff struct {
	mu    sync.Mutex
	state json.RawMessage // see [Hub]; nil if there is none
	place json.RawMessage // see [Guest]; nil if there is none
	files Files
	over  bool // no files are kept any more
}

func (h *handoff) setState(state []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = bytes.Clone(state)
}

func (h *handoff) setPlace(place []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.place = bytes.Clone(place)
}

// stands returns where the client stands, as the last owner reported it.
func (h *handoff) stands() json.RawMessage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place
}

// hold keeps these files, and closes those that were held.
func (h *handoff) hold(files Files) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		files.Close()
		return
	}
	h.files.Close()
	h.files = files
}

// drop closes the files, so that Chrome may end.
func (h *handoff) drop() { h.hold(Files{}) }

// end closes the files, and all that are still to come.
func (h *handoff) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files.Close()
	h.files, h.over = Files{}, true
}

// take hands over what the guest has received to this process's own hub, which then owns the files. A hub that
// doesn't own the place gets no files: they are closed.
func (h *handoff) take(owns bool) Owner {
	if !owns {
		h.drop()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	o := Owner{Previous: h.state, Place: h.place, Files: h.files}
	h.files = Files{}
	return o
}
