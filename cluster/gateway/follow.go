package gateway

import (
	"cmp"
	"slices"
	"time"

	"webmcphub/cluster/leases"
)

// DefaultDeparture is how long a gateway keeps to a node that is no member and doesn't answer.
const DefaultDeparture = time.Minute

// follow keeps to what the store knows: which nodes there are, and whose the browsers are.
func (g *Gateway) follow() {
	snapshots := make(chan leases.Snapshot)
	go g.options.Store.Watch(g.ctx, func(p leases.Snapshot) {
		select {
		case snapshots <- p:
		case <-g.ctx.Done():
		}
	})
	f := follower{Gateway: g, members: map[string]bool{}, away: map[string]time.Time{}}
	departure := cmp.Or(g.options.Departure, DefaultDeparture)
	look := time.NewTicker(departure / 4)
	defer look.Stop()
	for {
		select {
		case p := <-snapshots:
			f.takes(p)
		case now := <-look.C:
			f.letsGo(now, departure)
		case <-g.ctx.Done():
			return
		}
	}
}

// follower is what follow knows. It belongs to its goroutine.
type follower struct {
	*Gateway
	members map[string]bool
	away    map[string]time.Time // since when nodes are neither members nor answer
	joined  bool                 // the gateway has been a member
}

func (f *follower) takes(p leases.Snapshot) {
	// Before it is a member another gateway may have its name, whose calls would end if nodes heard of this one.
	if f.joined = f.joined || slices.ContainsFunc(p.Members, f.self); !f.joined {
		return
	}
	f.figures.snapshot(p)
	f.members = map[string]bool{}
	for _, m := range p.Members {
		if m.Role != leases.Node {
			continue
		}
		f.members[m.Name] = true
		if s := f.meet(m.Name, m.Address); s != nil {
			s.box.Must(func() { s.leased(true) })
		}
	}
	for _, s := range f.sessions() {
		if !f.members[s.node] { // its connection may outlast that by a bound
			s.box.Must(func() { s.leased(false) })
		}
	}
	leases := map[string]lease{}
	for _, l := range p.Leases {
		leases[l.Name()] = lease{l.Tenant, l.Handle, l.Life}
	}
	f.directory.leased(leases)
}

// self reports whether a member is this very process.
func (f *follower) self(m leases.Member) bool {
	return m.Role == leases.Gateway && m.Name == f.options.Name && m.Incarnation == f.incarnation
}

// letsGo lets go of nodes that are gone for good. One that comes again is met as a new one.
func (f *follower) letsGo(now time.Time, departure time.Duration) {
	for _, s := range f.sessions() {
		since, away := f.away[s.node]
		switch {
		case f.members[s.node] || s.answers():
			delete(f.away, s.node)
		case !away:
			f.away[s.node] = now
		case now.Sub(since) >= departure:
			delete(f.away, s.node)
			f.log.Info("a node is gone", "node", s.node, "for", departure)
			f.letGo(s)
		}
	}
}
