package gateway

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"webmcphub/cluster/leases"
)

// DefaultDeparture is how long a gateway keeps a node that is no longer a member, because the node may still answer.
// If etcd has lost its data, nodes register again within that time.
const DefaultDeparture = 15 * time.Second

// errNoMember is why a node that still answers is lost.
var errNoMember = errors.New("it has been no member of the cluster for too long")

// follow keeps to what the store knows: which nodes there are, and whose the browsers are.
func (g *Gateway) follow() {
	snapshots := make(chan leases.Snapshot)
	go g.options.Store.Watch(g.ctx, func(p leases.Snapshot) {
		select {
		case snapshots <- p:
		case <-g.ctx.Done():
		}
	})
	f := follower{Gateway: g, away: map[string]time.Time{}}
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
	away   map[string]time.Time // since when nodes are no members any more
	joined bool                 // the gateway has been a member
}

func (f *follower) takes(p leases.Snapshot) {
	// Before it is a member another gateway may have its name, whose calls would end if nodes heard of this one.
	if f.joined = f.joined || slices.ContainsFunc(p.Members, f.self); !f.joined {
		return
	}
	f.figures.snapshot(p)
	members := map[string]bool{}
	for _, m := range p.Members {
		if m.Role == leases.Node {
			members[m.Name] = true
			delete(f.away, m.Name)
			f.meet(m.Name, m.Address)
		}
	}
	for _, s := range f.sessions() {
		if _, away := f.away[s.node]; !members[s.node] && !away {
			f.away[s.node] = time.Now()
		}
	}
	held := map[string]leases.Lease{}
	for _, l := range p.Leases {
		held[l.Name()] = l
	}
	f.directory.leased(held)
}

// self reports whether a member is this very process.
func (f *follower) self(m leases.Member) bool {
	return m.Role == leases.Gateway && m.Name == f.options.Name && m.Incarnation == f.incarnation
}

// letsGo lets go of nodes that are gone for good. One that comes again is met as a new one.
func (f *follower) letsGo(now time.Time, departure time.Duration) {
	for _, s := range f.sessions() {
		if since, away := f.away[s.node]; away && now.Sub(since) >= departure {
			delete(f.away, s.node)
			f.log.Info("a node is gone", "node", s.node, "for", departure)
			f.letGo(s, errNoMember)
		}
	}
}
