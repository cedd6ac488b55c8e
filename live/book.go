package live

import (
	"context"
	"sync/atomic"
	"time"
)

// book is what the page's server knows. Only its owner's goroutine touches it.
type book struct {
	state     *State
	running   map[uint64]func() // what ends the calls in flight
	questions map[string]*question
	viewers   map[chan struct{}]bool // filled when something has changed
	screens
}

// owner is a book's.
type owner struct{ *keeper[book] }

// keeper has something and does with it what it is told, one thing after the other. What it
// is told must not block. Any goroutine may tell it.
//
// It sleeps until somebody rings. To wake a goroutine costs a call some 10 µs, more than all else
// that is done for it here; so what nobody waits for rings later, once for all calls until then.
type keeper[T any] struct {
	actions chan func(*T) // in the order in which they are to be done
	bell    chan struct{} // filled when the keeper is to look at actions
	later   *time.Timer   // rings, too
	pending atomic.Bool   // later is set
	end     context.CancelFunc
	ended   chan struct{} // closed when the thing is nobody's any more
}

const (
	// maxUnread is how many actions a keeper may be behind. Calls wait beyond that, so that
	// memory is bounded.
	maxUnread = 1024
	// lateness is how long what nobody waits for stays undone. Viewers get updates less often.
	lateness = 20 * time.Millisecond
)

// newOwner begins a book. Whoever does that calls close.
func newOwner() *owner {
	return &owner{keep(&book{
		state: NewState(), running: map[uint64]func(){}, questions: map[string]*question{},
		viewers: map[chan struct{}]bool{}, screens: newScreens(),
	})}
}

// keep begins a keeper. Whoever does that calls close.
func keep[T any](thing *T) *keeper[T] {
	ctx, cancel := context.WithCancel(context.Background())
	o := &keeper[T]{actions: make(chan func(*T), maxUnread), bell: make(chan struct{}, 1),
		later: time.NewTimer(lateness), end: cancel, ended: make(chan struct{})}
	o.later.Stop() // nothing is pending yet
	go o.run(ctx, thing)
	return o
}

func (o *keeper[T]) run(ctx context.Context, thing *T) {
	defer close(o.ended)
	defer o.later.Stop()
	for {
		select {
		case <-o.bell:
		case <-o.later.C:
		case <-ctx.Done():
			return
		}
		o.pending.Store(false) // first: what is told from here on sets the timer again
		for some := true; some && ctx.Err() == nil; {
			select {
			case action := <-o.actions:
				action(thing)
			default:
				some = false
			}
		}
	}
}

// ring has the keeper do all that it was told.
func (o *keeper[T]) ring() {
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// tell has something done with the thing at once, and doesn't wait for it. It is not done once
// the keeper has ended.
func (o *keeper[T]) tell(action func(*T)) {
	o.add(action)
	o.ring()
}

// add has something done with the thing once somebody rings.
func (o *keeper[T]) add(action func(*T)) {
	select {
	case o.actions <- action:
		return
	default:
		o.ring() // there are too many
	}
	select {
	case o.actions <- action:
	case <-o.ended:
	}
}

// ask has something done with the thing, and returns when that is done; it is not done if
// the keeper ends before.
func (o *keeper[T]) ask(action func(*T)) (done bool) {
	did := make(chan struct{})
	o.tell(func(thing *T) { action(thing); close(did) })
	select {
	case <-did:
	case <-o.ended:
	}
	select { // it may have been the last thing that the keeper did
	case <-did:
		return true
	default:
		return false
	}
}

// change is tell for what viewers see.
func (o *owner) change(action func(*book)) {
	o.tell(func(b *book) { action(b); b.wake() })
}

// follow is change within [lateness].
func (o *owner) follow(action func(*book)) {
	o.add(func(b *book) { action(b); b.wake() })
	if o.pending.CompareAndSwap(false, true) {
		o.later.Reset(lateness)
	}
}

// close ends the keeper, and waits for that.
func (o *keeper[T]) close() {
	o.end()
	<-o.ended
}

func (b *book) wake() {
	for c := range b.viewers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// maxViewers is how many browsers may follow the page at once.
const maxViewers = 8

// join gives what is filled when something has changed; nil if there are too many.
func (o *owner) join() (changed chan struct{}) {
	o.ask(func(b *book) {
		if len(b.viewers) < maxViewers {
			changed = make(chan struct{}, 1)
			b.viewers[changed] = true
		}
	})
	return changed
}

func (o *owner) leave(changed chan struct{}) {
	o.tell(func(b *book) { delete(b.viewers, changed) })
}
