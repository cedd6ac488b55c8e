package node

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/leases"
	"webmcphub/registry"
)

// figures are counts and states that any goroutine may read and change.
type figures struct {
	gateways, running atomic.Int64
	lent              atomic.Int64 // browsers of the node that are leased, as the store last reported
	leaving, member   atomic.Bool
	reached           atomic.Bool // a browser has been connected at least once
}

// Stats says how much a node has to do.
type Stats struct {
	Pages, Tools                int
	Browsers, BrowsersConnected int
	Own, Lent                   int // browsers that may be lent, and those of them that are leased
	Gateways                    int // that are connected
	Running                     int // requests of gateways, except for tabs' pictures
}

// Figures returns how much the node has to do now. Any goroutine may call it; it doesn't wait.
func (n *Node) Figures() Stats {
	c := n.current.Load()
	f := Stats{Pages: len(c.Tabs()), Tools: c.Len(), Own: int(n.browsers.own.Load()),
		Lent:     int(n.figures.lent.Load()),
		Gateways: int(n.figures.gateways.Load()), Running: int(n.figures.running.Load())}
	for _, b := range c.Browsers() {
		if b.Name == extension {
			continue
		}
		f.Browsers++
		if b.Status == "" {
			f.BrowsersConnected++
		}
	}
	return f
}

// NotReady returns the reason why the node is not ready for work, or "" if it is. A node is ready when one of its
// browsers has been reached (or it is to have none), and, with a store, when it is a member. A node that leaves is
// never ready. Any goroutine may call NotReady; it doesn't wait.
func (n *Node) NotReady() string {
	switch {
	case n.figures.leaving.Load() || n.life.ctx.Err() != nil:
		return "the node is leaving"
	case n.browsers.wanted.Load() > 0 && !n.figures.reached.Load():
		return "no browser has been reached yet"
	case n.options.Store != nil && !n.figures.member.Load():
		return "the node is not a member of the cluster yet"
	}
	return ""
}

// Status returns the node's status. The node's own goroutine answers, after it has handled all earlier messages.
func (n *Node) Status(ctx context.Context) (*api.NodeStatus, error) {
	to := make(chan *api.NodeStatus, 1)
	if !n.box.Put(func() { to <- n.status() }) {
		return nil, errors.New("the node has too much to do")
	}
	select {
	case s := <-to:
		return s, nil
	case <-n.life.over:
		return nil, errors.New("the node has stopped")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// status returns the node's status.
func (n *Node) status() *api.NodeStatus {
	c := n.current.Load()
	s := &api.NodeStatus{Build: n.options.Build, Pages: int64(len(c.Tabs())), Tools: int64(c.Len()),
		Calls: n.figures.running.Load(), Leaving: n.leaving.why}
	for _, b := range c.Browsers() {
		if b.Name != extension {
			s.Browsers = append(s.Browsers, &api.Browser{Name: b.Name, Labels: b.Labels, Status: b.Status})
		}
	}
	return s
}

// saw notes in reached whether a catalog has a connected browser.
func (f *figures) saw(c *registry.Catalog) {
	if f.reached.Load() {
		return
	}
	for _, b := range c.Browsers() {
		if b.Name != extension && b.Status == "" {
			f.reached.Store(true)
		}
	}
}

// snapshot notes what the store reports about the node.
func (n *Node) snapshot(p leases.Snapshot) {
	member, lent := false, int64(0)
	for _, m := range p.Members {
		member = member || m.Role == leases.Node && m.Name == n.options.Name && m.Incarnation == n.incarnation
	}
	for _, l := range p.Leases {
		if l.Node == n.options.Name {
			lent++
		}
	}
	n.figures.member.Store(member)
	n.figures.lent.Store(lent)
}

// called reports an ended call to Options.Called, and returns the outcome.
func (n *Node) called(r registry.Result, took time.Duration) (outcome string) {
	outcome = "ok"
	switch {
	case r.Ending != "":
		outcome = r.Ending
	case r.IsError:
		outcome = "error"
	}
	if n.options.Called != nil {
		n.options.Called(outcome, took)
	}
	return outcome
}
