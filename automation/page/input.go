package page

import (
	"context"
	"slices"
	"sync"
)

// turns holds, by name, who has a turn and who waits for it, in order. Only the first has the turn.
type turns map[string][]*turn

type turn struct {
	granted chan struct{}
	person  bool // the turn is for a person
}

// theInput is the name of the turn for acting on the page.
const theInput = "input"

// Input waits for the caller's turn to act on the page. Turns are given in the order in which they were requested.
// Whoever sends Input.* commands holds the turn until it calls release; further calls of release do nothing. Code
// that only reads needs no turn. If ctx ends while a person has the turn (see [Page.TakeOver]), the error is
// [ErrTakenOver].
func (p *Page) Input(ctx context.Context) (release func(), err error) { return p.Turn(ctx, theInput) }

// TakeOver does the same as [Page.Input] for a person, who may keep the turn for long.
func (p *Page) TakeOver(ctx context.Context) (release func(), err error) {
	return p.turn(ctx, theInput, &turn{granted: make(chan struct{}), person: true})
}

// ActBegins records that an action is doing something in the page, until end is called; further calls of end do
// nothing. A dialog that opens meanwhile is attributed to the action; see [Dialog].During. An action that only waits
// for its turn or its element doesn't call ActBegins yet.
func (p *Page) ActBegins() (end func()) {
	p.ask(func(o *owner) { o.acting++ })
	return sync.OnceFunc(func() { p.ask(func(o *owner) { o.acting-- }) })
}

// Turn does the same as [Page.Input] for something else that only one caller at a time may do in a page. Turns of
// different names don't wait for each other.
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
	held := make(chan bool, 1) // whether a person had the turn when it was given up
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

// end ends a turn, or removes it from those that wait. It says whether a person had the turn for which t waited.
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
