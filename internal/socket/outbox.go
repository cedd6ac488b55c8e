package socket

import "sync"

// Outbox is made by [New].
type Outbox struct {
	limit int
	wake  chan struct{} // capacity 1

	mu     sync.Mutex
	queue  [][]byte
	size   int  // of what is queued and of what is being written
	closed bool // nothing is taken in any more
}

// New makes an outbox in which up to limit bytes may wait for the wire. A
// single message may be longer.
func NewOutbox(limit int) *Outbox {
	return &Outbox{limit: limit, wake: make(chan struct{}, 1)}
}

// Push queues one message. It reports false where more than the limit would
// wait; after the end it drops the message and reports true.
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
	if len(o.queue) == 1 { // else the writer has been woken and is yet to take
		o.rouse()
	}
	return true
}

// Take waits for messages and returns all of them. more is false at the end:
// what comes with it is the last, if anything. spare is an earlier batch, whose
// memory may be used again, or nil.
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

// Wrote says that n bytes have left.
func (o *Outbox) Wrote(n int) {
	o.mu.Lock()
	o.size -= n
	o.mu.Unlock()
}

// Finish ends the queue behind what is in it.
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
