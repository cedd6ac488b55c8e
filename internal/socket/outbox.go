package socket

import "sync"

// Outbox is a queue of messages for a wire. [NewOutbox] makes one.
type Outbox struct {
	limit int
	wake  chan struct{} // capacity 1

	mu     sync.Mutex
	queue  [][]byte
	size   int  // bytes queued or being written
	closed bool // no more messages are accepted
}

// NewOutbox returns an outbox in which up to limit bytes may wait for the wire. A single message may be longer.
func NewOutbox(limit int) *Outbox {
	return &Outbox{limit: limit, wake: make(chan struct{}, 1)}
}

// Push queues one message. It returns false if more than the limit would wait. After the end it drops the message and
// returns true.
func (o *Outbox) Push(msg []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	if o.size > 0 && o.size+len(msg) > o.limit {
		return false
	}
	o.queue = append(o.queue, msg)
	o.size += len(msg)
	if len(o.queue) == 1 { // otherwise the writer has been woken already
		o.rouse()
	}
	return true
}

// Take waits for messages and returns all of them. more is false at the end; batch then has the last messages, if
// any. spare is an earlier batch whose memory Take may reuse, or nil.
func (o *Outbox) Take(spare [][]byte) (batch [][]byte, more bool) {
	for {
		o.mu.Lock()
		if len(o.queue) > 0 || o.closed {
			batch, more = o.queue, !o.closed
			o.queue = spare[:0]
			o.mu.Unlock()
			return batch, more
		}
		o.mu.Unlock()
		<-o.wake
	}
}

// Wrote says that n bytes have been written.
func (o *Outbox) Wrote(n int) {
	o.mu.Lock()
	o.size -= n
	o.mu.Unlock()
}

// Finish ends the queue after the messages in it.
func (o *Outbox) Finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.rouse()
}

// Discard ends the queue and drops what is in it.
func (o *Outbox) Discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.queue = true, nil
	o.rouse()
}

func (o *Outbox) rouse() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
