// Package mailbox has a queue of messages for a goroutine that owns some state. Other goroutines put messages into the
// queue without waiting, and the owner takes them out in the same order. A message is usually a function, which the
// owner calls.
package mailbox

import "sync"

// Box is a queue of messages for its owner. Make one with [New]. Any goroutine may call Put, Must and Wake; only the
// owner may call Ready and Take.
type Box[M any] struct {
	limit int

	mu    sync.Mutex
	all   []M
	ready chan struct{} // holds a token while there is something to take
}

// New returns a queue in which at most limit messages may wait.
func New[M any](limit int) *Box[M] {
	return &Box[M]{limit: limit, ready: make(chan struct{}, 1)}
}

// Put adds a message. It returns false if the queue is full, which means that the owner hangs, or that it gets more
// messages than it can handle.
func (b *Box[M]) Put(m M) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.all) >= b.limit {
		return false
	}
	b.add(m)
	return true
}

// Must adds a message even if the queue is full. Use it for the results of work that the owner itself has started: the
// owner limits how many there are.
func (b *Box[M]) Must(m M) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(m)
}

func (b *Box[M]) add(m M) {
	b.all = append(b.all, m)
	b.Wake()
}

// Wake wakes the owner, even if there is no message.
func (b *Box[M]) Wake() {
	select {
	case b.ready <- struct{}{}:
	default: // the owner will wake anyway
	}
}

// Ready returns a channel that receives when there may be messages to take.
func (b *Box[M]) Ready() <-chan struct{} { return b.ready }

// Run calls the functions in a box, in their order, until done is closed. Each time that it has called all waiting
// functions, it calls after, unless after is nil.
func Run(b *Box[func()], done <-chan struct{}, after func()) {
	for {
		select {
		case <-done:
			return
		case <-b.Ready():
			for _, do := range b.Take() {
				do()
			}
			if after != nil {
				after()
			}
		}
	}
}

// Take removes all waiting messages and returns them, the oldest first.
func (b *Box[M]) Take() []M {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.all
	b.all = nil
	return all
}
