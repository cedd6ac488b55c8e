package batch

import (
	"context"
	"encoding/json"
	"sync"
)

// Door carries out the steps of a plan.
type Door interface {
	// Where returns the tab to which a step's call would go now, or to which that of a running step has gone. It may
	// return any name that identifies the tab, and "" if the tab can't be told. Only the goroutine of [Run] calls it.
	Where(step int) string
	// Call carries out a step, and returns soon after ctx ends. For each step that runs, a goroutine of its own calls
	// it.
	Call(ctx context.Context, step int, args json.RawMessage) Ended
	// Progress is called after each change, by the goroutine of [Run].
	Progress(p *Plan)
}

// Run carries out a plan, and returns when all its steps have ended. After ctx has ended, no more steps begin.
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
