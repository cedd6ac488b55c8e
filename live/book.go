package live

import (
	"context"

	"webmcphub/live/model"
)

// book is what the page's server knows. Only its owner's goroutine touches it.
type book struct {
	state     *model.State
	running   map[uint64]func() // what ends the calls in flight
	questions map[string]*question
	viewers   map[chan struct{}]bool // filled when something has changed
	visitors
	screens
}

// owner has a book and does with it what it is told, one thing after the other. What it
// is told must not block. Any goroutine may tell it.
type owner struct {
	inbox chan func(*book)
	end   context.CancelFunc
	ended chan struct{} // closed when the book is nobody's any more
}

// maxUnread is how many deeds the owner may be behind. Calls wait beyond that, so that
// memory is bounded.
const maxUnread = 1024

// newOwner begins a book. Whoever does that calls close.
func newOwner() *owner {
	ctx, cancel := context.WithCancel(context.Background())
	o := &owner{inbox: make(chan func(*book), maxUnread), end: cancel, ended: make(chan struct{})}
	b := &book{
		state: model.New(), running: map[uint64]func(){}, questions: map[string]*question{},
		viewers: map[chan struct{}]bool{}, visitors: newVisitors(), screens: newScreens(),
	}
	go func() {
		defer close(o.ended)
		for {
			select {
			case deed := <-o.inbox:
				deed(b)
			case <-ctx.Done():
				return
			}
		}
	}()
	return o
}

// tell has something done with the book, and doesn't wait for it. It is not done once the
// owner has ended.
func (o *owner) tell(deed func(*book)) {
	select {
	case o.inbox <- deed:
	case <-o.ended:
	}
}

// ask has something done with the book, and returns when that is done; it is not done if
// the owner ends before.
func (o *owner) ask(deed func(*book)) (done bool) {
	did := make(chan struct{})
	o.tell(func(b *book) { deed(b); close(did) })
	select {
	case <-did:
	case <-o.ended:
	}
	select { // it may have been the last thing that the owner did
	case <-did:
		return true
	default:
		return false
	}
}

// change is tell for what viewers see.
func (o *owner) change(deed func(*book)) {
	o.tell(func(b *book) { deed(b); b.wake() })
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
