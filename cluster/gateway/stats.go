package gateway

import (
	"context"
	"errors"
	"sync/atomic"

	"webmcphub/cluster/leases"
	"webmcphub/mcpserver"
)

// figures are counts and states that any goroutine may read and change.
type figures struct {
	pages, tools, browsers, connected atomic.Int64 // of all nodes
	answering, lost                   atomic.Int64 // nodes
	lent, queue                       atomic.Int64 // as the store last reported
	leaving                           atomic.Bool
	answered, listed                  atomic.Bool // whether a node, and whether the store, has ever answered
}

// counts has the counts of one node.
type counts struct{ pages, tools, browsers, connected int64 }

// Stats says how much a gateway has to do.
type Stats struct {
	mcpserver.Stats                 // of all tenants' clients
	Pages, Tools                int // of all nodes, whoever may see them
	Browsers, BrowsersConnected int
	Nodes, NodesAnswering       int           // known nodes, and those that answer
	NodesLost                   int           // how often a node was lost that wasn't leaving
	Running                     int           // requests that run at nodes, except for tabs' pictures
	Busiest, Fullest            TenantFigures // the tenants with the most requests and the most clients per token
	Lent, Queue                 int           // leased browsers and waiting requests, as the store reports
}

// TenantFigures says how much one tenant's clients have to do.
type TenantFigures struct {
	Clients, InFlight int
	Tokens            int // the tenant's tokens for HTTP; each token has its own limits
}

// Figures returns how much the gateway has to do now. Any goroutine may call it; it doesn't wait.
func (g *Gateway) Figures() Stats {
	s := &g.figures
	f := Stats{Pages: int(s.pages.Load()), Tools: int(s.tools.Load()), Browsers: int(s.browsers.Load()),
		BrowsersConnected: int(s.connected.Load()),
		NodesAnswering:    int(s.answering.Load()), NodesLost: int(s.lost.Load()), Lent: int(s.lent.Load()),
		Queue: int(s.queue.Load())}
	for _, n := range g.sessions() {
		f.Nodes++
		f.Running += int(n.running.Load())
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, r := range g.tenants {
		of := r.server.Stats()
		f.Clients += of.Clients
		f.InFlight += of.InFlight
		f.Waiting += of.Waiting
		f.Leases += of.Leases
		one := TenantFigures{of.Clients, of.InFlight, int(r.tokens.Load())}
		tokens := func(t TenantFigures) int { return max(1, t.Tokens) }
		if one.InFlight*tokens(f.Busiest) > f.Busiest.InFlight*tokens(one) {
			f.Busiest = one
		}
		if one.Clients*tokens(f.Fullest) > f.Fullest.Clients*tokens(one) {
			f.Fullest = one
		}
	}
	return f
}

// NotReady returns the reason why the gateway is not ready for clients, or "" if it is. With a store, a gateway is
// ready when the store has reported the members; without one, when the first node has answered. It is ready until it
// leaves or stops. Any goroutine may call NotReady; it doesn't wait.
func (g *Gateway) NotReady() string {
	switch {
	case g.ctx.Err() != nil, g.figures.leaving.Load():
		return "the gateway is stopping"
	case g.options.Store != nil && !g.figures.listed.Load():
		return "the store has not reported the nodes yet"
	case g.options.Store == nil && !g.figures.answered.Load():
		return "no node has answered yet"
	}
	return ""
}

// Leave notes that the gateway is about to stop, so that it is no longer ready. Any goroutine may call it.
func (g *Gateway) Leave() { g.figures.leaving.Store(true) }

// Alive returns nil once the directory has handled all earlier messages, which shows that its goroutine works.
func (g *Gateway) Alive(ctx context.Context) error {
	done := make(chan struct{})
	if !g.directory.box.Put(func() { close(done) }) {
		return errors.New("the gateway has too much to do")
	}
	select {
	case <-done:
		return nil
	case <-g.directory.over:
		return errStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// count updates the totals for what a node offers now.
func (f *figures) count(n *offered) {
	now := counts{pages: int64(len(n.pages)), browsers: int64(len(n.browsers))}
	for _, p := range n.pages {
		now.tools += int64(len(p.Tools))
	}
	for _, b := range n.browsers {
		if b.Status == "" {
			now.connected++
		}
	}
	was := n.counts
	n.counts = now
	f.pages.Add(now.pages - was.pages)
	f.tools.Add(now.tools - was.tools)
	f.browsers.Add(now.browsers - was.browsers)
	f.connected.Add(now.connected - was.connected)
}

// snapshot notes the figures of a snapshot of the store.
func (f *figures) snapshot(p leases.Snapshot) {
	waiting := 0
	for _, n := range p.WaitingCount {
		waiting += n
	}
	f.lent.Store(int64(len(p.Leases)))
	f.queue.Store(int64(waiting))
	f.listed.Store(true)
}
