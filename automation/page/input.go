package page

import (
	"context"
	"slices"
	"sync"
)

// turns are who does a thing of which a page has one at a time, and who wants to, in
// order.
type turns map[string][]*turn

type turn struct {
	granted chan struct{}
	person  bool // has it, or wants it
}

// theInput is the turn of whoever acts on the page.
const theInput = "input"

// Input waits for the caller's turn to act on the page: first come, first served. All
// that sends Input.* commands holds it until it calls release, once or more often. What
// only reads doesn't need it. While a person has it, see [Page.TakeOver], waiting in vain
// ends with [ErrTakenOver].
func (p *Page) Input(ctx context.Context) (release func(), err error) { return p.Turn(ctx, theInput) }

// TakeOver is [Page.Input] for a person, who may keep it for long.
func (p *Page) TakeOver(ctx context.Context) (release func(), err error) {
	return p.turn(ctx, theInput, &turn{granted: make(chan struct{}), person: true})
}

// ActBegins notes that an action begins to do something in the page, until end is called, once or
// more often: a dialog that opens meanwhile is taken for the action's, see [Dialog].During. One that
// only waits for its turn or its element does nothing yet.
func (p *Page) ActBegins() (end func()) {
	p.ask(func(o *owner) { o.acting++ })
	return sync.OnceFunc(func() { p.ask(func(o *owner) { o.acting-- }) })
}

// Turn is [Page.Input] for something else that one caller at a time can do in a page.
// Turns of different names don't wait for each other.
func (p *Page) Turn(ctx context.Context, name string) (release func(), err error) {
	return p.turn(ctx, name, &turn{granted: make(chan struct{})})
}

func (p *Page) turn(ctx context.Context, name string, t *turn) (release func(), err error) {
	p.ask(func(o *owner) {
		o.turns[name] = append(o.turns[name], t)
		if len(o.turns[name]) == 1 {
			close(t.granted)
		}
	})
	held := make(chan bool, 1) // by a person, as it is given up
	give := sync.OnceFunc(func() { p.ask(func(o *owner) { held <- o.turns.end(name, t) }) })
	select {
	case <-t.granted:
		return give, nil
	case <-ctx.Done():
		give()
		select {
		case by := <-held:
			if by {
				return nil, ErrTakenOver
			}
		case <-p.done:
		}
		return nil, context.Cause(ctx)
	case <-p.done:
		return nil, p.err
	}
}

// end ends a turn, or gives up waiting for it, and says whether a person had it meanwhile.
func (all turns) end(name string, t *turn) (person bool) {
	i := slices.Index(all[name], t)
	if i < 0 {
		return false
	}
	person = i > 0 && all[name][0].person
	rest := slices.Delete(all[name], i, i+1)
	if i == 0 && len(rest) > 0 {
		close(rest[0].granted)
	}
	if all[name] = rest; len(rest) == 0 {
		delete(all, name)
	}
	return person
}
