package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// tenant is what one tenant met in the overload.
type tenant struct {
	mu      sync.Mutex
	waits   []time.Duration // of wishes that were fulfilled
	refused int
	full    int // refusals because as many wishes wait as may
	mute    int // refusals that didn't say when to try again
}

// overload: ten times as many clients want browsers as there are browsers, of several tenants, one
// of which asks twice as much as the others.
func overload(ctx context.Context, r *run) error {
	names := []string{"red", "green", "blue"}
	c, err := r.start(ctx, func(o *Options) { o.Tenants = names })
	if err != nil {
		return err
	}
	defer c.Close()
	browsers := c.Nodes * c.Own
	clients := 10 * browsers
	r.Say("%d clients of %d tenants want %d browsers for %d s", clients, len(names), browsers, r.seconds)
	all := make([]*tenant, len(names))
	for i := range all {
		all[i] = &tenant{}
	}
	book := newLedger()
	storm, over := context.WithTimeout(ctx, time.Duration(r.seconds)*time.Second)
	defer over()
	var done sync.WaitGroup
	for i := range clients {
		t := []int{0, 0, 1, 2}[i%4]
		done.Go(func() { r.want(storm, c, i%len(c.GatewayList), t, all[t], book) })
	}
	done.Go(func() { r.flood(storm, c, all[0], book) })
	done.Wait()
	r.judgeTenants(names, all)
	r.Figure("a flood of wishes of "+names[0], "%d at once: %d were refused, as %d wait at most", flood, all[0].full,
		mayWait)
	if least := (flood - mayWait) / 2; all[0].full < least {
		r.Fail("of %d wishes at once %d were refused, and at least %d must be where %d may wait", flood, all[0].full,
			least, mayWait)
	}
	r.Figure("browsers given", "%d in %d s, to one holder at a time", book.given, r.seconds)
	r.Check("processes", c.StillRunning())
	return nil
}

const (
	// mayWait is how many wishes of a tenant wait at most, and flood how many one has at once.
	mayWait, flood = 100, 240
)

// flood is many wishes of a tenant at the same time, in the middle of it all.
func (r *run) flood(ctx context.Context, c *Cluster, t *tenant, book *ledger) {
	if sleep(ctx, time.Duration(r.seconds)*time.Second/3) != nil {
		return
	}
	var done sync.WaitGroup
	for i := range flood {
		done.Go(func() {
			a := c.agent(i%len(c.GatewayList), 0)
			defer a.Close()
			_, down, _, err := r.work(ctx, a, book, 2*time.Second, 0)
			if r.Check("of many at once", err); down != nil {
				t.turnedDown(down)
			}
		})
	}
	done.Wait()
}

// turnedDown notes a refusal.
func (t *tenant) turnedDown(down *turnedDown) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused++
	if down.After <= 0 {
		t.mute++
	}
	if down.Reason == "full" {
		t.full++
	}
}

// want is one client: it acquires, works, gives back, and tries again.
func (r *run) want(ctx context.Context, c *Cluster, gateway, of int, t *tenant, book *ledger) {
	a := c.agent(gateway, of)
	defer a.Close()
	for ctx.Err() == nil {
		waited, down, _, err := r.work(ctx, a, book, 5*time.Second, 100*time.Millisecond)
		switch {
		case err != nil:
			r.Fail("%v", err)
			return
		case down != nil:
			t.turnedDown(down)
			_ = sleep(ctx, time.Duration(down.After*float64(time.Second)))
		case waited > 0:
			t.mu.Lock()
			t.waits = append(t.waits, waited)
			t.mu.Unlock()
		}
	}
}

// judgeTenants compares what the tenants met.
func (r *run) judgeTenants(names []string, all []*tenant) {
	var means []time.Duration
	for i, t := range all {
		if len(t.waits) == 0 {
			r.Fail("%s got no browser at all", names[i])
			continue
		}
		var sum time.Duration
		for _, w := range t.waits {
			sum += w
		}
		means = append(means, sum/time.Duration(len(t.waits)))
		r.Figure("tenant "+names[i], "%d browsers, waited %s on average, %s at most; %d refusals", len(t.waits),
			short(means[len(means)-1]), short(slices.Max(t.waits)), t.refused)
		if t.mute > 0 {
			r.Fail("%d refusals of %s didn't say when to try again", t.mute, names[i])
		}
	}
	if len(means) < len(all) {
		return
	}
	// What the tenant that asks twice as much waits for itself is its own matter.
	ratio := float64(slices.Max(means[1:])) / float64(max(1, slices.Min(means[1:])))
	r.Figure("waits of tenants that ask alike", "max/min %.2f (bound 2)", ratio)
	if ratio > 2 {
		r.Fail("tenants that ask alike wait unlike: %s", fmt.Sprint(means))
	}
}
