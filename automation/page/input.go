package page

import (
	"context"
	"slices"
	"sync"
)

// inputQueue is who acts on the page, and who wants to, in order.
type inputQueue []*turn

type turn struct{ granted chan struct{} }

// Input waits for the caller's turn to act on the page: first come, first served. All
// that sends Input.* commands holds it until it calls release, once or more often. What
// only reads doesn't need it.
func (p *Page) Input(ctx context.Context) (release func(), err error) {
	t := &turn{make(chan struct{})}
	p.ask(func(o *owner) {
		o.input = append(o.input, t)
		if len(o.input) == 1 {
			close(t.granted)
		}
	})
	release = sync.OnceFunc(func() { p.ask(func(o *owner) { o.endTurn(t) }) })
	select {
	case <-t.granted:
		return release, nil
	case <-ctx.Done():
		release()
		return nil, context.Cause(ctx)
	case <-p.done:
		return nil, p.err
	}
}

func (o *owner) endTurn(t *turn) {
	i := slices.Index(o.input, t)
	if i < 0 {
		return
	}
	o.input = slices.Delete(o.input, i, i+1)
	if i == 0 && len(o.input) > 0 {
		close(o.input[0].granted)
	}
}
