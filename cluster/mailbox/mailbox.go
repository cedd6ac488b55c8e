// Package mailbox has the queue before a goroutine that owns something: anybody puts messages in without waiting, and
// the owner takes them in their order. A message is mostly a function, which the owner calls.
package mailbox

import "sync"

// Box is such a queue. Make one with [New]. Put, Must and Wake may be called from any goroutine;
// Ready and Take belong to the owner.
type Box[M any] struct {
	limit int

	mu    sync.Mutex
	all   []M
	ready chan struct{} // holds a token while there is something to take
}

// New makes a queue in which as many as limit may wait.
func New[M any](limit int) *Box[M] {
	return &Box[M]{limit: limit, ready: make(chan struct{}, 1)}
}

// Put adds a message. It says no where as many wait as may: then the owner hangs, or somebody
// says more than it can hear.
func (b *Box[M]) Put(m M) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.all) >= b.limit {
		return false
	}
	b.add(m)
	return true
}

// Must adds a message whatever waits, for what the owner itself has begun: of that there is
// no more than it began.
func (b *Box[M]) Must(m M) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(m)
}

func (b *Box[M]) add(m M) {
	b.all = append(b.all, m)
	b.Wake()
}

// Wake has the owner look, though no message was put in.
func (b *Box[M]) Wake() {
	select {
	case b.ready <- struct{}{}:
	default: // it is to look already
	}
}

// Ready has something to receive when there may be messages to take.
func (b *Box[M]) Ready() <-chan struct{} { return b.ready }

// Run does what the functions in a box say, in their order, until done is closed. It calls after, if not nil, each time
// that it has done all that waited.
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

// Take gives all that wait, oldest first.
func (b *Box[M]) Take() []M {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.all
	b.all = nil
	return all
}
