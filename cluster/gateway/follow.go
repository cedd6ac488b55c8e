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
var errNoMember = errors.New("the node left the cluster too long ago")

// follow takes the nodes and the leases from the store's snapshots.
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

// follower is the state of follow. It belongs to follow's goroutine.
type follower struct {
	*Gateway
	away   map[string]time.Time // by node: since when it is no longer a member
	joined bool                 // the gateway has been a member
}

func (f *follower) takes(p leases.Snapshot) {
	// Until this gateway is a member, another one may use its name, whose calls would end if this one dialled nodes.
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

// self says whether a member is this process.
func (f *follower) self(m leases.Member) bool {
	return m.Role == leases.Gateway && m.Name == f.options.Name && m.Incarnation == f.incarnation
}

// letsGo drops nodes that haven't been members for the time departure. A node that comes back later is a new one.
func (f *follower) letsGo(now time.Time, departure time.Duration) {
	for _, s := range f.sessions() {
		if since, away := f.away[s.node]; away && now.Sub(since) >= departure {
			delete(f.away, s.node)
			f.log.Info("a node is gone", "node", s.node, "for", departure)
			f.letGo(s, errNoMember)
		}
	}
}
