package share

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"sync"
)

// Owner and guest say a few things to each other beside MCP's messages, each in
// a line that begins with '#', as no JSON does. A line of a client that begins so
// gets a blank before it.
const (
	ping       = "#ping" // from the guest, which the owner answers
	pong       = "#pong"
	viewPrefix = "#view " // from the guest: Options.View has changed
	willPrefix = "#will " // from the owner: Hub.Will

	wantFiles   = "#hold"   // from the guest: it would hold Hub.Files
	filesPrefix = "#files " // from the owner: their note, and with it the files
	noFiles     = "null"    // the note where there are none any more
	placePrefix = "#place " // from the owner: where the guest's client stands, see Guest.Moved
)

// escaped is a client's line as it is passed on.
func escaped(line []byte) []byte {
	if len(line) > 0 && line[0] == '#' {
		return append([]byte{' '}, line...)
	}
	return line
}

// guestReader is what a guest sends without what is for the owner itself.
type guestReader struct {
	in       *bufio.Reader
	heard    func(line []byte) // must not keep it
	rest     []byte            // of what was read
	mid      bool              // rest ends within a line
	skipping bool              // the line is for the owner and too long
}

func (g *guestReader) Read(p []byte) (int, error) {
	for len(g.rest) == 0 {
		part, err := g.in.ReadSlice('\n')
		whole := err == nil
		if len(part) == 0 && err != nil && err != bufio.ErrBufferFull {
			return 0, err
		}
		if g.skipping || !g.mid && part[0] == '#' {
			if whole && !g.skipping {
				g.heard(part[:len(part)-1])
			}
			g.skipping = !whole
			continue
		}
		g.mid, g.rest = !whole, part
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// guestWriter puts the owner's own lines between a session's messages.
type guestWriter struct {
	mu  sync.Mutex // held while writing
	out io.Writer
	mid bool // what was written ends within a line

	waitingMu sync.Mutex
	waiting   map[string]saying // by kind; of each the newest
}

// saying is a line of the owner's own without its kind, and the files that go with it.
type saying struct {
	rest  []byte
	files []*os.File
	said  func() // called once the files have been sent
}

func newGuestWriter(out io.Writer) *guestWriter {
	return &guestWriter{out: out, waiting: map[string]saying{}}
}

// Write writes messages, and before the first that begins in p what was said before.
func (w *guestWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	n, err := 0, error(nil)
	if end := bytes.IndexByte(p, '\n') + 1; w.mid && w.waits() && end > 0 {
		n, err = w.write(p[:end])
	}
	if err == nil && w.waits() {
		err = w.flushLocked()
	}
	if err == nil {
		var more int
		more, err = w.write(p[n:])
		n += more
	}
	w.mu.Unlock()
	if err == nil {
		err = w.flush()
	}
	return n, err
}

func (w *guestWriter) write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	if n > 0 {
		w.mid = p[n-1] != '\n'
	}
	return n, err
}

// note has a line written before any message whose Write has not begun yet; flush writes it
// at once. It never blocks.
func (w *guestWriter) note(kind string, rest []byte) {
	w.waitingMu.Lock()
	defer w.waitingMu.Unlock()
	w.waiting[kind] = saying{rest: rest}
}

// say writes a line as soon as no message is being written.
func (w *guestWriter) say(kind string, rest []byte) error { return w.sayWith(kind, saying{rest: rest}) }

// sayWith does so with files.
func (w *guestWriter) sayWith(kind string, s saying) error {
	w.waitingMu.Lock()
	w.waiting[kind] = s
	w.waitingMu.Unlock()
	return w.flush()
}

// flush writes what waits. Who is writing does so afterwards, so nothing waits
// for want of a next message.
func (w *guestWriter) flush() error {
	for w.waits() && w.mu.TryLock() {
		mid, err := w.mid, w.flushLocked()
		w.mu.Unlock()
		if err != nil || mid {
			return err
		}
	}
	return nil
}

func (w *guestWriter) waits() bool {
	w.waitingMu.Lock()
	defer w.waitingMu.Unlock()
	return len(w.waiting) > 0
}

func (w *guestWriter) flushLocked() error {
	if w.mid {
		return nil
	}
	w.waitingMu.Lock()
	var lines []byte
	var with saying
	for kind, s := range w.waiting {
		line := append(append([]byte(kind), s.rest...), '\n')
		if s.files == nil {
			lines = append(lines, line...)
		} else { // there is one kind that has files
			with = saying{line, s.files, s.said}
		}
		delete(w.waiting, kind)
	}
	w.waitingMu.Unlock()
	if _, err := w.out.Write(lines); err != nil {
		return err
	}
	if conn, ok := w.out.(*net.UnixConn); ok && with.files != nil && sendFiles(conn, with.rest, with.files) == nil {
		with.said()
	}
	return nil // without the files the guest does what it did without them
}

// soundLine says whether what goes into one line is JSON of a bounded size.
func soundLine(raw json.RawMessage, max int) bool {
	return len(raw) <= max && !bytes.ContainsAny(raw, "\n\r") && json.Valid(raw)
}
