package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"webmcphub/bench/cluster/agent"
	"webmcphub/bench/cluster/fleet"
)

// Call is one call of an echo, and how it ended.
type Call struct {
	Gateway, Browser int
	Begun, Ended     time.Time
	Err              error // nil if the page of the browser answered
}

// Load calls echoes of all browsers by all gateways, all the time, until it is stopped.
type Load struct {
	end  context.CancelFunc
	done sync.WaitGroup

	mu    sync.Mutex
	calls []Call          // those that failed
	took  []time.Duration // the good ones
}

// pause is the time between two calls of one of the load's callers.
const pause = 5 * time.Millisecond

// StartLoad has so many callers at each view. browsers are those that are called.
func StartLoad(ctx context.Context, views []*View, callers int, browsers []int) *Load {
	l := &Load{}
	ctx, l.end = context.WithCancel(ctx)
	for _, v := range views {
		for c := range callers {
			r := rand.New(rand.NewPCG(uint64(v.Gateway), uint64(c)))
			l.done.Go(func() { l.run(ctx, v, browsers, r) })
		}
	}
	return l
}

// Stop ends the load, and gives the calls that failed.
func (l *Load) Stop() []Call {
	l.end()
	l.done.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls
}

// Good are how long the good calls took.
func (l *Load) Good() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.took
}

func (l *Load) run(ctx context.Context, v *View, browsers []int, r *rand.Rand) {
	for n := 0; ctx.Err() == nil; n++ {
		browser := browsers[r.IntN(len(browsers))]
		if name := v.Name(fleet.Echo(browser)); name != "" { // else it isn't offered
			call := one(ctx, v, browser, name, fmt.Sprintf("say %d", n))
			if ctx.Err() != nil {
				return
			}
			l.note(call)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (l *Load) note(c Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Err != nil {
		l.calls = append(l.calls, c)
		return
	}
	l.took = append(l.took, c.Ended.Sub(c.Begun))
}

// callLimit is how long a call may take.
const callLimit = 20 * time.Second

// one calls a browser's echo by its name, and holds the answer against what that page says.
func one(ctx context.Context, v *View, browser int, name, text string) Call {
	c := Call{Gateway: v.Gateway, Browser: browser}
	ctx, cancel := context.WithTimeoutCause(ctx, callLimit, fmt.Errorf("no answer in %s", callLimit))
	defer cancel()
	c.Begun = time.Now()
	answer, err := v.Agent.Call(ctx, name, map[string]any{"text": text})
	c.Ended = time.Now()
	switch {
	case err != nil:
		c.Err = errors.Join(err, context.Cause(ctx))
	case answer != fleet.Said(browser, text):
		c.Err = fmt.Errorf("browser %d answered %.100q to %q: that is another page, or another call", browser, answer,
			text)
	}
	return c
}

// Answered says whether the server answered a call with a reason, rather than the connection
// breaking or the time running out.
func (c Call) Answered() bool {
	var failed *agent.ToolFailed
	var refused *agent.Refused
	return errors.As(c.Err, &failed) || errors.As(c.Err, &refused) && refused.Code != 0
}

func (c Call) String() string {
	return fmt.Sprintf("a call of browser %d by gateway %d, %s after %s: %v", c.Browser, c.Gateway,
		short(c.Ended.Sub(c.Begun)), c.Begun.Format("15:04:05.000"), c.Err)
}
