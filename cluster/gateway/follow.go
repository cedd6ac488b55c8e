package gateway

import (
	"webmcphub/cluster/allot"
	"webmcphub/cluster/replica"
)

// follow keeps to what the store knows: which nodes there are, and whose the browsers are.
func (g *Gateway) follow() {
	g.options.Store.Watch(g.ctx, func(p allot.Picture) {
		g.figures.picture(p)
		members := map[string]bool{}
		for _, m := range p.Members {
			if m.Role != allot.Node {
				continue
			}
			members[m.Name] = true
			if t := g.meet(m.Name, m.Address); t != nil {
				t.box.Must(due{replica.LeaseSeen{}})
			}
		}
		for _, t := range g.talks() {
			if !members[t.node] { // its connection may outlast that by a bound
				t.box.Must(due{replica.LeaseEnded{}})
			}
		}
		leases := map[string]lease{}
		for _, l := range p.Leases {
			leases[l.Name()] = lease{l.Tenant, l.Handle, l.Life}
		}
		g.house.box.Must(leased{leases})
	})
}
