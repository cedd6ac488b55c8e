package storm

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/actors"
	"webmcphub/bench/storm/hubs"
)

// run is one scenario under way.
type run struct {
	s      Scenario
	o      Options
	known  *known
	result *Result

	driver driver
	hub    *hubs.Running
	names  map[string]string // the hub's by the page's own, before the storm
	callee callee            // who makes the scenario's calls

	mu      sync.Mutex // guards clients for the watching goroutine
	clients []*client

	phase atomic.Value // string
	peak  atomic.Int64 // of the hub's goroutines
}

func (r *run) addClient(c *client) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clients = append(r.clients, c)
}

// zero makes the clients count anew.
func (r *run) zero() {
	for _, c := range r.clients {
		c.counts.notices.Store(0)
		c.counts.lists.Store(0)
		c.counts.listBytes.Store(0)
	}
	r.peak.Store(0)
}

func (r *run) interval() time.Duration {
	if r.o.NotifyInterval > 0 {
		return r.o.NotifyInterval
	}
	return actors.DefaultNotifyInterval
}

// watch samples goroutines and reports progress until it is stopped.
func (r *run) watch() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.look()
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

func (r *run) look() {
	phase := r.phase.Load().(string)
	p := Progress{Scenario: r.s.Name, Phase: phase}
	if phase == "storm" {
		u, err := r.hub.Usage(false)
		if err != nil {
			return // it is ending; the run sees that too
		}
		r.peak.Store(max(r.peak.Load(), int64(u.Goroutines)))
		p.RSS = u.RSS
		p.Changes = r.driver.changes()
	}
	if r.o.Progress == nil {
		return
	}
	r.mu.Lock()
	for _, c := range r.clients[:min(1, len(r.clients))] {
		p.Notices = c.counts.notices.Load()
	}
	r.mu.Unlock()
	r.o.Progress(p)
}

// converge waits until every client is at rest and has the right list, and says
// since when the first one had it.
func (r *run) converge(ctx context.Context, truth map[string]int, ended time.Time) (right time.Time, err error) {
	if len(r.clients) == 0 {
		err := r.taken()
		return later(r.known.lastTaken(), ended), err
	}
	for _, c := range r.clients {
		if c.manner == slow {
			c.release()
		}
	}
	first := r.clients[0]
	if first.manner == idle {
		if err := r.taken(); err != nil {
			r.result.lose(1, "%v", err)
		}
	}
	for i, c := range r.clients {
		if c.manner == deaf {
			c.release() // last, when the others have all
		}
		if err := r.agree(ctx, c, truth); err != nil {
			return right, err
		}
		if i == 0 {
			if _, right = c.last(); c.manner == idle {
				right = r.known.lastTaken()
			}
			right = later(right, ended)
		}
		if err := r.compare(c, truth, i); err != nil {
			return right, err
		}
	}
	return right, nil
}

// later is for ends of storms, whose pages' clock says when they were: it may be
// some µs off.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// taken waits until the newest stamp of every page was taken in.
func (r *run) taken() error {
	last := map[int64]stamp{}
	for _, s := range r.driver.stamps() {
		last[s.page] = s
	}
	for _, s := range last {
		if err := r.known.await(s); err != nil {
			return err
		}
	}
	return nil
}

// agree waits until a client is at rest, and has the right list without having
// asked for it: a machine that is busy elsewhere can be silent for long before
// that. If the list doesn't get right it gives up; compare then says what is lost.
func (r *run) agree(ctx context.Context, c *client, truth map[string]int) error {
	deadline := time.Now().Add(converge)
	var checked time.Time // the last list that was looked at
	right := c.manner == idle
	for {
		since, ok := c.resting()
		if ok && time.Since(since) > restful && (right || time.Since(since) > patience) {
			return nil
		}
		if at := c.lastSince(); ok && !right && !at.Equal(checked) && time.Since(since) > restful/10 {
			line, _ := c.last()
			list, _, err := pageTools(line)
			if err != nil {
				return err
			}
			n, _ := wrong(list, truth)
			right, checked = n == 0, at
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("a client did not come to rest in %v", converge)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-c.ended:
			return fmt.Errorf("the hub hung up: %w", c.err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// compare holds a client's list, as its last notification made it read it,
// against what pages have. A list that it asks for now must be the same, or a
// notification was lost.
func (r *run) compare(c *client, truth map[string]int, i int) error {
	line, since := c.last()
	if c.manner != idle && line != nil {
		list, _, err := pageTools(line)
		if err != nil {
			return err
		}
		if n, which := wrong(list, truth); n > 0 {
			r.result.lose(n, "the last list of client %d (%s): %s", i, c.manner, strings.Join(which, ", "))
		}
	}
	if err := c.ask(); err != nil {
		return err
	}
	line, again := c.last()
	if c.manner != idle && !again.Equal(since) {
		r.result.lose(1, "client %d (%s) was not told of the last change", i, c.manner)
	}
	list, _, err := pageTools(line)
	if err != nil {
		return err
	}
	if n, which := wrong(list, truth); n > 0 {
		r.result.lose(n, "the list at the end, client %d (%s): %s", i, c.manner, strings.Join(which, ", "))
	}
	return nil
}

func (m manner) String() string {
	return [...]string{"reading", "slow", "deaf", "reading only"}[m]
}

// end stops clients, hub and browser, those that there are.
func (r *run) end() (err error) {
	r.phase.Store("ending")
	for _, c := range r.clients {
		c.end()
	}
	if r.hub != nil {
		for _, e := range r.hub.Ends[min(len(r.clients), len(r.hub.Ends)):] { // never got a client
			e.In.Close()
			e.Out.Close()
		}
		err = r.hub.Stop()
	}
	if r.driver != nil {
		r.driver.close()
	}
	return err
}
