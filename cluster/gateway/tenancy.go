package gateway

import (
	"fmt"
	"slices"
	"time"

	"webmcphub/cluster/leases"
)

// tenantsOf are the names of tenants; nil is one tenant, whose name is "".
func tenantsOf(tenants []string) []string {
	if tenants == nil {
		return []string{""}
	}
	return tenants
}

// join makes the gateway a member, so that operators see it.
func (g *Gateway) join() error {
	o := g.options
	if o.Store == nil {
		return nil
	}
	_, err := o.Store.Join(g.ctx, leases.Member{Role: leases.Gateway, Name: o.Name, Incarnation: g.incarnation})
	if err != nil {
		return fmt.Errorf("the gateway can't become a member of the cluster: %w", err)
	}
	return nil
}

// evict has the store end what those have who are no longer among the tenants.
func (g *Gateway) evict(was, now map[string]*tenantServer) {
	back := func(tenant string) bool { return now[tenant] != nil }
	changed := slices.ContainsFunc(g.evicted, back)
	g.evicted = slices.DeleteFunc(g.evicted, back)
	for tenant, r := range was {
		if r.leasing && now[tenant] == nil {
			g.evicted, changed = append(g.evicted, tenant), true
		}
	}
	if changed && g.options.Store != nil {
		g.options.Store.Evict(slices.Clone(g.evicted))
	}
}

// used says whether the tenant has used its leases since it was asked last: a client is connected, or a call has run.
// A session over HTTP isn't a connection: it may be left over from a client that is gone.
func (r *tenantServer) used() bool {
	f := r.server.Stats()
	return r.requested.Swap(false) || r.requests.Load() > 0 || f.InFlight > 0 || !r.leasing && f.Clients > 0
}

// useInterval is how often the store is told whose leases are in use.
const useInterval = time.Second

// tellUse tells the store, until the gateway stops, which tenants use their leases.
func (g *Gateway) tellUse() {
	tick := time.NewTicker(useInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-g.ctx.Done():
			return
		}
		var users []string
		g.mu.RLock()
		for tenant, r := range g.tenants {
			if r.used() {
				users = append(users, tenant)
			}
		}
		g.mu.RUnlock()
		if len(users) > 0 {
			g.options.Store.Use(users)
		}
	}
}
