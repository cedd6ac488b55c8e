package batch

import (
	"context"
	"encoding/json"
	"sync"
)

// Door is through what steps are carried out.
type Door interface {
	// Where says which tab a step's call would go to now, or that of one that runs went to:
	// any name of it, or "" if that can't be told. It is called by the goroutine of [Run].
	Where(step int) string
	// Call carries a step out, and returns soon after ctx has ended. It is called by a
	// goroutine for each step that runs.
	Call(ctx context.Context, step int, args json.RawMessage) Ended
	// Progress is told of each change, by the goroutine of [Run].
	Progress(p *Plan)
}

// Run carries a plan out, and returns when all its steps have ended. Once ctx has ended no
// more of them begin.
func Run(ctx context.Context, p *Plan, d Door) {
	ended := make(chan Ended)
	var running sync.WaitGroup
	defer running.Wait()
	tabs := make([]string, p.Len())
	cancelled := ctx.Done()
	for {
		for i := range tabs {
			if is, _ := p.Outcome(i); is == Waiting {
				tabs[i] = d.Where(i)
			}
		}
		for _, start := range p.Step(Look{tabs, func() bool { return ctx.Err() != nil }}) {
			running.Go(func() { ended <- d.Call(ctx, start.Index, start.Arguments) })
		}
		d.Progress(p)
		if p.Over() {
			return
		}
		select {
		case e := <-ended:
			p.Step(e)
		case <-cancelled:
			cancelled = nil
			p.Step(Cancelled{context.Cause(ctx).Error()})
		}
	}
}
