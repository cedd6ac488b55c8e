package exttest

import (
	"io"
	"sync"

	"webmcphub/extlink"
)

// Wire is one connection without I/O; the hub's end is an [extlink.Link].
type Wire struct {
	extlink.ExtensionDialect

	mu       sync.Mutex
	moved    sync.Cond
	toHub    []item
	fromHub  [][]byte
	closed   bool
	parted   bool
	code     int
	stopped  bool // the extension doesn't read
	finished chan struct{}
}

type item struct {
	msg []byte
	err error
}

// NewWire makes a connection that nobody has said anything on.
func NewWire() *Wire {
	w := &Wire{finished: make(chan struct{})}
	w.moved.L = &w.mu
	return w
}

// Read is the hub's.
func (w *Wire) Read() ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.toHub) == 0 && !w.closed {
		w.moved.Wait()
	}
	if len(w.toHub) == 0 {
		return nil, io.EOF
	}
	next := w.toHub[0]
	w.toHub = w.toHub[1:]
	w.moved.Broadcast()
	return next.msg, next.err
}

// Write is the hub's.
func (w *Wire) Write(msg []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.stopped && !w.closed {
		w.moved.Wait()
	}
	if w.closed {
		return io.ErrClosedPipe
	}
	w.fromHub = append(w.fromHub, msg)
	w.moved.Broadcast()
	return nil
}

// Part is the hub's; the extension leaves at once.
func (w *Wire) Part(code int, _ string) {
	w.mu.Lock()
	if !w.parted {
		w.parted, w.code = true, code
	}
	stopped := w.stopped
	w.mu.Unlock()
	if !stopped {
		_ = w.Close()
	}
}

// Close ends the connection, from either side.
func (w *Wire) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		close(w.finished)
	}
	w.moved.Broadcast()
	return nil
}

// Closed is closed with the connection.
func (w *Wire) Closed() <-chan struct{} { return w.finished }

// Code is with which code the hub closed the connection, 0 if it hasn't.
func (w *Wire) Code() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.code
}

// Say sends a message to the hub.
func (w *Wire) Say(msg string) { w.give(item{[]byte(msg), nil}) }

// SayTooMuch sends a message that is too large.
func (w *Wire) SayTooMuch() { w.give(item{nil, extlink.ErrMessageTooLarge}) }

// Unread is how many messages the hub has not read yet.
func (w *Wire) Unread() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.toHub)
}

// StopReading leaves what the hub writes on the wire.
func (w *Wire) StopReading() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

func (w *Wire) give(i item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.toHub = append(w.toHub, i)
		w.moved.Broadcast()
	}
}

// Next waits for what the hub says next. It is false after the end.
func (w *Wire) Next() (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.fromHub) == 0 && !w.closed {
		w.moved.Wait()
	}
	if len(w.fromHub) == 0 {
		return "", false
	}
	next := w.fromHub[0]
	w.fromHub = w.fromHub[1:]
	return string(next), true
}
