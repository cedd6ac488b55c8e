package cdptest

import (
	"bytes"
	"io"
	"runtime"
	"sync"
)

// wire is the hub's end of a connection: a [cdpclient.Wire] in memory.
type wire struct {
	conn *conn

	mu    sync.Mutex
	queue [][]byte
	wake  chan struct{} // capacity 1

	// The reader's: what it took out of the queue, and how much of it was read.
	batch [][]byte
	read  int

	once sync.Once
	gone chan struct{} // closed by our own Close
	dead chan struct{} // closed by the browser's end; what it sent can still be read
}

func newWire() *wire {
	return &wire{wake: make(chan struct{}, 1), gone: make(chan struct{}), dead: make(chan struct{})}
}

// push queues a message to the hub. It never blocks.
func (w *wire) push(msg []byte) {
	w.mu.Lock()
	w.queue = append(w.queue, msg)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *wire) pop() []byte {
	if w.read == len(w.batch) {
		w.mu.Lock()
		w.batch, w.queue, w.read = w.queue, w.batch[:0], 0
		w.mu.Unlock()
		if len(w.batch) == 0 {
			return nil
		}
	}
	msg := w.batch[w.read]
	w.batch[w.read] = nil
	w.read++
	return msg
}

// Read implements [cdpclient.Wire].
func (w *wire) Read() ([]byte, error) {
	for {
		select {
		case <-w.gone:
			return nil, io.ErrClosedPipe
		default:
		}
		if msg := w.pop(); msg != nil {
			return msg, nil
		}
		runtime.Gosched() // as real wires do
		select {
		case <-w.wake:
		case <-w.gone:
		case <-w.dead:
			if msg := w.pop(); msg != nil {
				return msg, nil
			}
			return nil, io.EOF
		}
	}
}

// Write implements [cdpclient.Wire]: the command is carried out here.
func (w *wire) Write(msg []byte) error {
	select {
	case <-w.gone:
		return io.ErrClosedPipe
	case <-w.dead:
		return io.ErrClosedPipe
	default:
	}
	w.conn.handle(bytes.Clone(msg))
	return nil
}

// Close implements [cdpclient.Wire].
func (w *wire) Close() error {
	w.once.Do(func() {
		close(w.gone)
		w.conn.hungUp()
	})
	return nil
}
