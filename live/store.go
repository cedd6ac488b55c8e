package live

import (
	"sync"
	"time"

	"webmcphub/internal/mask"
)

// store is what the page's server knows. Any goroutine may use it by ask and tell, which carry out actions on it, one
// after the other. Actions must not block, and must use neither.
//
// A call waits for no viewer, and wakes no goroutine, which would cost it about 10 µs, more than everything else that
// is done for it here. So it tells an action, which is carried out later together with others.
type store struct {
	mu        sync.Mutex // guards the following fields
	state     *State
	running   map[uint64]func() // what cancels the calls in flight
	expected  []*expected
	questions map[string]*question
	viewers   map[chan struct{}]bool // each receives when something has changed
	fields    mask.Fields
	screens
	closed bool

	queueMu sync.Mutex     // guards waiting; held for no action, and locked after mu if at all
	waiting []func(*store) // actions to be carried out
}

const (
	// maxUnread is how many actions may wait. Whoever adds further ones carries them out, so that memory is bounded.
	maxUnread = 1024
	// lateness is how long an action may stay undone that nobody waits for. Viewers get updates less often than that.
	lateness = 20 * time.Millisecond
)

func newStore() *store {
	return &store{state: NewState(), running: map[uint64]func(){}, questions: map[string]*question{},
		viewers: map[chan struct{}]bool{}, screens: newScreens()}
}

// tell has an action carried out that changes what viewers see: before the next ask, and within [lateness]. It is not
// carried out if the store is closed before.
func (b *store) tell(action func(*store)) {
	b.queueMu.Lock()
	b.waiting = append(b.waiting, action)
	n := len(b.waiting)
	b.queueMu.Unlock()
	switch {
	case n == 1:
		time.AfterFunc(lateness, b.catchUp)
	case n >= maxUnread:
		b.catchUp()
	}
}

// ask carries out an action, after those that wait. It returns false if the store is closed.
func (b *store) ask(action func(*store)) (done bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queueMu.Lock()
	waiting := b.waiting
	b.waiting = nil
	b.queueMu.Unlock()
	if b.closed {
		return false
	}
	if len(waiting) > 0 {
		b.carryOut(waiting)
	}
	action(b)
	return true
}

// carryOut carries out actions that have waited. If one panics, the later ones wait for whoever asks next; at the
// latest that is the timer that tell has set for them, because a panic in the timer's own goroutine ends the process.
func (b *store) carryOut(waiting []func(*store)) {
	begun := 0
	defer func() {
		b.wake()
		if begun == len(waiting) {
			return
		}
		b.queueMu.Lock()
		b.waiting = append(waiting[begun:], b.waiting...)
		b.queueMu.Unlock()
	}()
	for _, action := range waiting {
		begun++
		action(b)
	}
}

// catchUp carries out the actions that wait.
func (b *store) catchUp() { b.ask(func(*store) {}) }

// close ends the store: from now on nothing is done with it.
func (b *store) close() { b.ask(func(b *store) { b.closed = true }) }

func (b *store) wake() {
	for c := range b.viewers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// maxViewers is how many browsers may follow the page at the same time.
const maxViewers = 8

// join returns a channel that receives when something has changed, or nil if there are too many viewers.
func (b *store) join() (changed chan struct{}) {
	b.ask(func(b *store) {
		if len(b.viewers) < maxViewers {
			changed = make(chan struct{}, 1)
			b.viewers[changed] = true
		}
	})
	return changed
}

func (b *store) leave(changed chan struct{}) {
	b.ask(func(b *store) { delete(b.viewers, changed) })
}
