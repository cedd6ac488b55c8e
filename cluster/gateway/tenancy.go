package gateway

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"webmcphub/cluster/leases"
)

// TokenSum is the SHA-256 of a bearer token.
type TokenSum = [sha256.Size]byte

// Tenant is a group of clients that share their leased browsers.
type Tenant struct {
	Name   string     // [a-z0-9-]{1,32}
	Tokens []TokenSum // with which its clients authenticate over HTTP
	Quota  int        // how many browsers it may have at the same time; 0 means the default
}

// limitsOf returns the limits with the quotas of tenants.
func limitsOf(l leases.Limits, all []Tenant) leases.Limits {
	l.Tenants = map[string]leases.Quota{}
	for _, t := range all {
		l.Tenants[t.Name] = leases.Quota{Browsers: t.Quota}
	}
	return l
}

// join makes the gateway a member of the cluster, so that operators see it.
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

// revokeRemoved makes the store end the leases of tenants that were removed.
func (g *Gateway) revokeRemoved(was, now map[string]*tenantServer) {
	back := func(tenant string) bool { return now[tenant] != nil }
	changed := slices.ContainsFunc(g.removed, back)
	g.removed = slices.DeleteFunc(g.removed, back)
	for tenant, r := range was {
		if r.leasing && now[tenant] == nil {
			g.removed, changed = append(g.removed, tenant), true
		}
	}
	if changed && g.options.Store != nil {
		g.options.Store.RevokeRemoved(slices.Clone(g.removed))
	}
}

// used says whether the tenant has used its leases since the last call of used: a client is connected, or a call has
// run. A session over HTTP isn't a connection: it may be left over from a client that is gone.
func (r *tenantServer) used() bool {
	f := r.server.Stats()
	return r.requested.Swap(false) || r.requests.Load() > 0 || f.InFlight > 0 || !r.leasing && f.Clients > 0
}

// useInterval is how often the gateway tells the store which tenants use their leases.
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
