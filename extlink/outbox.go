package extlink

import "sync"

// maxOutbox bounds the bytes that wait for the wire. The extension reads its
// end all the time; a backlog this long means that it has stopped.
const maxOutbox = 64 << 20

// outbox is the queue between senders and the writer goroutine.
type outbox struct {
	mu     sync.Mutex
	queue  [][]byte
	size   int
	closed bool          // nothing is taken any more
	wake   chan struct{} // capacity 1
}

// push queues one message and never blocks. It reports false when the peer has
// stopped reading; after close it drops.
func (o *outbox) push(msg []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	if o.size > 0 && o.size+len(msg) > maxOutbox {
		return false
	}
	o.queue = append(o.queue, msg)
	o.size += len(msg)
	o.rouse()
	return true
}

// take waits for messages and returns all of them; with the last, after close,
// more is false.
func (o *outbox) take() (batch [][]byte, more bool) {
	for {
		o.mu.Lock()
		if len(o.queue) > 0 || o.closed {
			batch, more = o.queue, !o.closed
			o.queue = nil
			o.mu.Unlock()
			return batch, more
		}
		o.mu.Unlock()
		<-o.wake
	}
}

// wrote says that n bytes have left.
func (o *outbox) wrote(n int) {
	o.mu.Lock()
	o.size -= n
	o.mu.Unlock()
}

// close ends the queue behind what is in it.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.rouse()
	o.mu.Unlock()
}

func (o *outbox) rouse() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
