package page

import (
	"cmp"
	"context"
	"sync"
)

// Turn is for something that only one caller at a time may do in a page. Callers get it in the order in which they
// wait for it.
type Turn chan struct{}

// NewTurn returns a Turn that nobody has.
func NewTurn() Turn { return make(Turn, 1) }

// Wait waits for the caller's turn, which ends when the caller calls release; further calls of release do nothing.
// Wait also ends with ctx and with the page.
func (t Turn) Wait(ctx context.Context, p *Page) (release func(), err error) {
	select {
	case t <- struct{}{}:
		if err := cmp.Or(p.Err(), context.Cause(ctx)); err != nil { // select chooses either if both are so
			<-t
			return nil, err
		}
		return sync.OnceFunc(func() { <-t }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.done:
		return nil, p.err
	}
}

// Input waits for the caller's turn to act on the page; see [Turn.Wait]. Whoever sends Input.* commands holds the turn
// until it calls release. Code that only reads needs no turn. If ctx ends while a person has the turn (see
// [Page.TakeOver]), the error is [ErrTakenOver].
func (p *Page) Input(ctx context.Context) (release func(), err error) {
	release, err = p.input.Wait(ctx, p)
	if err != nil && p.Err() == nil && p.person.Load() {
		err = ErrTakenOver
	}
	return release, err
}

// TakeOver does the same as [Page.Input] for a person, who may keep the turn for long.
func (p *Page) TakeOver(ctx context.Context) (release func(), err error) {
	next, err := p.Input(ctx)
	if err != nil {
		return nil, err
	}
	p.person.Store(true)
	return sync.OnceFunc(func() { p.person.Store(false); next() }), nil
}

// ActBegins records that an action is doing something in the page, until end is called; further calls of end do
// nothing. A dialog that opens meanwhile is attributed to the action; see [Dialog].During. An action that only waits
// for its turn or its element doesn't call ActBegins yet.
func (p *Page) ActBegins() (end func()) {
	p.ask(func(o *owner) { o.acting++ })
	return sync.OnceFunc(func() { p.ask(func(o *owner) { o.acting-- }) })
}
