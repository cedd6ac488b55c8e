package live

import (
	"context"
	"sync/atomic"
	"time"

	"webmcphub/internal/mask"
)

// book is what the page's server knows. Only the goroutine of its owner touches it.
type book struct {
	state     *State
	running   map[uint64]func() // what cancels the calls in flight
	questions map[string]*question
	viewers   map[chan struct{}]bool // each receives when something has changed
	fields    mask.Fields
	screens
}

// owner owns a book. It carries out the actions that it is given on the book, one after the other. Actions must not
// block. Any goroutine may call the owner's methods.
//
// The owner sleeps until it is woken through bell or later. Waking a goroutine costs a call about 10 µs, which is
// more than everything else that is done for the call here. So an action that nobody waits for wakes the owner
// later, once for all such actions until then.
type owner struct {
	actions chan func(*book) // in the order in which they are to be carried out
	bell    chan struct{}    // holds a token when the owner is to look at actions
	later   *time.Timer      // wakes the owner, too
	pending atomic.Bool      // later is running
	end     context.CancelFunc
	ended   chan struct{} // closed when the owner has ended
}

const (
	// maxUnread is how many actions may wait for an owner. Further calls block, so that memory is bounded.
	maxUnread = 1024
	// lateness is how long an action may stay undone that nobody waits for. Viewers get updates less often than that.
	lateness = 20 * time.Millisecond
)

// newOwner starts the owner of a new book. The caller must call close.
func newOwner() *owner {
	ctx, cancel := context.WithCancel(context.Background())
	o := &owner{actions: make(chan func(*book), maxUnread), bell: make(chan struct{}, 1),
		later: time.NewTimer(lateness), end: cancel, ended: make(chan struct{})}
	o.later.Stop() // nothing is pending yet
	go o.run(ctx, &book{
		state: NewState(), running: map[uint64]func(){}, questions: map[string]*question{},
		viewers: map[chan struct{}]bool{}, screens: newScreens(),
	})
	return o
}

func (o *owner) run(ctx context.Context, b *book) {
	defer close(o.ended)
	defer o.later.Stop()
	for {
		select {
		case <-o.bell:
		case <-o.later.C:
		case <-ctx.Done():
			return
		}
		o.pending.Store(false) // before the actions: an action that is added from here on starts the timer again
		for some := true; some && ctx.Err() == nil; {
			select {
			case action := <-o.actions:
				action(b)
			default:
				some = false
			}
		}
	}
}

// ring makes the owner carry out all actions that it has been given.
func (o *owner) ring() {
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// tell makes the owner carry out an action at once, and doesn't wait for that. The action is not carried out if the
// owner has ended.
func (o *owner) tell(action func(*book)) {
	o.add(action)
	o.ring()
}

// add gives the owner an action, which it carries out when somebody calls ring or the timer runs out.
func (o *owner) add(action func(*book)) {
	select {
	case o.actions <- action:
		return
	default:
		o.ring() // the owner is too far behind
	}
	select {
	case o.actions <- action:
	case <-o.ended:
	}
}

// ask makes the owner carry out an action, and returns when that is done. It returns false if the owner ended
// before.
func (o *owner) ask(action func(*book)) (done bool) {
	did := make(chan struct{})
	o.tell(func(b *book) { action(b); close(did) })
	select {
	case <-did:
	case <-o.ended:
	}
	select { // it may have been the last action that the owner carried out
	case <-did:
		return true
	default:
		return false
	}
}

// change is tell for an action that changes what viewers see.
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

// close ends the owner, and waits for that.
func (o *owner) close() {
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

// maxViewers is how many browsers may follow the page at the same time.
const maxViewers = 8

// join returns a channel that receives when something has changed, or nil if there are too many viewers.
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
