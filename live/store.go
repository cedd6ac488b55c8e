package live

import (
	"sync"
	"time"

	"webmcphub/internal/mask"
)

// store is the state of the page's server. Any goroutine may use it by ask and tell, which run actions on it, one
// after the other. Actions must not block, and must call neither ask nor tell.
//
// Calls of tools use tell, so they neither wait for viewers nor wake a goroutine. Waking one would cost a call about
// 10 µs, more than everything else that is done for it here. The action of tell runs later, together with others.
type store struct {
	mu        sync.Mutex // guards the following fields
	state     *State
	running   map[uint64]func() // functions that cancel the calls in flight
	expected  []*expected
	questions map[string]*question
	viewers   map[chan struct{}]bool // each receives when something has changed
	fields    mask.Fields
	screens
	closed bool

	queueMu sync.Mutex     // guards waiting; not held while actions run; locked after mu, if both are
	waiting []func(*store) // actions to be carried out
}

const (
	// maxUnread is how many actions may wait. A call that adds one more runs them all, so that memory is bounded.
	maxUnread = 1024
	// lateness is how long an action of tell may wait. Viewers get updates less often than that.
	lateness = 20 * time.Millisecond
)

func newStore() *store {
	return &store{state: NewState(), running: map[uint64]func(){}, questions: map[string]*question{},
		viewers: map[chan struct{}]bool{}, screens: newScreens()}
}

// tell runs an action that changes what viewers see: before the action of the next ask, and within [lateness]. If the
// store is closed before that, the action doesn't run.
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

// ask runs an action, after those that wait. It returns false if the store is closed.
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

// carryOut runs actions that have waited. If one panics, the later ones wait for the next ask. At the latest, that is
// the ask of the timer that tell has set: a panic in the timer's own goroutine would end the process.
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

// catchUp runs the actions that wait.
func (b *store) catchUp() { b.ask(func(*store) {}) }

// close ends the store: no further action runs.
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
