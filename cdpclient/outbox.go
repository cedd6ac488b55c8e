package cdpclient

import (
	"fmt"
	"sync"
)

// maxBacklog bounds the bytes that wait for the wire. Chrome reads its end all
// the time; a backlog this long means that it has stopped.
const maxBacklog = 64 << 20

// outbox is the queue between posters and the writer goroutine. Writing to the
// socket from Post, as far as the kernel takes it at once, was tried: it saves
// 0.4 of the 8 µs that a round trip takes without Chrome, and nothing that can
// be seen of the 500 with it.
type outbox struct {
	mu     sync.Mutex
	queue  [][]byte
	size   int
	closed bool
	wake   chan struct{} // capacity 1
}

// push queues one message and never blocks. After close it drops.
func (o *outbox) push(msg []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	if o.size > 0 && o.size+len(msg) > maxBacklog {
		return fmt.Errorf("Chrome has stopped reading: %d MiB of commands are waiting", maxBacklog>>20)
	}
	o.queue = append(o.queue, msg)
	o.size += len(msg)
	if len(o.queue) == 1 {
		select {
		case o.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

// take waits for messages and returns all of them, or false after close.
// spare is an old batch whose memory may be used again.
func (o *outbox) take(spare [][]byte) ([][]byte, bool) {
	for {
		o.mu.Lock()
		if o.closed {
			o.mu.Unlock()
			return nil, false
		}
		if len(o.queue) > 0 {
			batch := o.queue
			o.queue = spare[:0]
			o.mu.Unlock()
			return batch, true
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

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.queue = true, nil
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
