package share

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"sync"
)

// Owner and guest send each other a few things besides MCP messages. Each is a line that begins with '#', as no JSON
// does. If a line of a client begins with '#', a blank is put before it.
const (
	ping        = "#ping" // from the guest; the owner answers it
	pong        = "#pong"
	viewPrefix  = "#view " // from the guest: Options.View has changed
	statePrefix = "#will " // from the owner: Hub.State

	wantFiles   = "#hold"   // from the guest: it wants to hold Hub.Files
	filesPrefix = "#files " // from the owner: the files' note, and with it the files
	noFiles     = "null"    // the note if there are no files any more
	placePrefix = "#place " // from the owner: where the guest's client stands, see Guest.Moved
)

// escaped returns a client's line as it is passed on.
func escaped(line []byte) []byte {
	if len(line) > 0 && line[0] == '#' {
		return append([]byte{' '}, line...)
	}
	return line
}

// guestReader reads the client's messages from a guest. It passes lines that are for the owner itself to onOwnLine.
type guestReader struct {
	in        *bufio.Reader
	onOwnLine func(line []byte) // must not keep the line
	rest      []byte            // the unread rest of what was read from in
	mid       bool              // rest ends within a line
	skipping  bool              // the line is for the owner and is too long
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
				g.onOwnLine(part[:len(part)-1])
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

// guestWriter writes a session's messages to a guest, and the owner's own lines between them.
type guestWriter struct {
	mu  sync.Mutex // held while writing
	out io.Writer
	mid bool // what was written ends within a line

	waitingMu sync.Mutex
	waiting   map[string]ownLine // by kind; only the newest of each
	noted     chan struct{}      // receives when a line waits
}

// ownLine is a line of the owner's own without its kind, and the files that go with it.
type ownLine struct {
	rest   []byte
	files  []*os.File
	onSent func() // called when the files have been sent
}

func newGuestWriter(out io.Writer) *guestWriter {
	return &guestWriter{out: out, waiting: map[string]ownLine{}, noted: make(chan struct{}, 1)}
}

// Write writes messages. Before the first message that begins in p, it writes the lines that are waiting.
func (w *guestWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
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
	return n, err
}

func (w *guestWriter) write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	if n > 0 {
		w.mid = p[n-1] != '\n'
	}
	return n, err
}

// note makes a line wait, so that it is written before any message whose Write has not begun yet, and by flushes as
// soon as no message is being written. note never blocks.
func (w *guestWriter) note(kind string, l ownLine) {
	w.waitingMu.Lock()
	w.waiting[kind] = l
	w.waitingMu.Unlock()
	signal(w.noted)
}

// flushes writes the lines that are waiting, which may block, until ctx ends.
func (w *guestWriter) flushes(ctx context.Context) {
	for {
		select {
		case <-w.noted:
		case <-ctx.Done():
			return
		}
		if w.flush() != nil { // the session ends too
			return
		}
	}
}

// flush writes the lines that are waiting.
func (w *guestWriter) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flushLocked()
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
	var with ownLine
	for kind, l := range w.waiting {
		line := append(append([]byte(kind), l.rest...), '\n')
		if l.files == nil {
			lines = append(lines, line...)
		} else { // only one kind has files
			with = ownLine{line, l.files, l.onSent}
		}
		delete(w.waiting, kind)
	}
	w.waitingMu.Unlock()
	if _, err := w.out.Write(lines); err != nil {
		return err
	}
	if conn, ok := w.out.(*net.UnixConn); ok && with.files != nil && sendFiles(conn, with.rest, with.files) == nil {
		with.onSent()
	}
	return nil // without the files, the guest goes on as it would if it had none
}

// soundLine reports whether raw is JSON of a bounded size on a single line.
func soundLine(raw json.RawMessage, max int) bool {
	return len(raw) <= max && !bytes.ContainsAny(raw, "\n\r") && json.Valid(raw)
}
