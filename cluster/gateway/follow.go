package gateway

import (
	"cmp"
	"fmt"

	"webmcphub/cluster/allot"
	"webmcphub/cluster/replica"
)

// join makes the gateway a member, for operators to see.
func (g *Gateway) join() error {
	o := g.options
	if o.Store == nil {
		return nil
	}
	m := allot.Member{Role: allot.Gateway, Name: o.Name, Address: cmp.Or(o.Advertise, g.link.Addr()), Incarnation: g.incarnation}
	if _, err := o.Store.Join(g.ctx, m); err != nil {
		return fmt.Errorf("the gateway can't become a member of the cluster: %w", err)
	}
	return nil
}

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
