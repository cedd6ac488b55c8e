package gateway

import (
	"fmt"
	"slices"

	"webmcphub/cluster/leases"
)

// tenancy is what the store is told of tenants. It belongs to Start, and then to whoever calls SetTenants.
type tenancy struct {
	member     leases.Member
	membership leases.Membership // nil without a store
	out        []string          // who is no tenant any more, since the start
}

// tenantsOf are the names of tenants' rooms; nil is one tenant, whose name is "".
func tenantsOf(tenants []string) []string {
	if tenants == nil {
		return []string{""}
	}
	return tenants
}

// join makes the gateway a member: operators see it, and other gateways see whom it serves.
func (g *Gateway) join(tenants []string) error {
	o := g.options
	if o.Store == nil {
		return nil
	}
	g.member = leases.Member{Role: leases.Gateway, Name: o.Name, Incarnation: g.incarnation, Tenants: slices.Clone(tenants)}
	var err error
	if g.membership, err = o.Store.Join(g.ctx, g.member); err != nil {
		return fmt.Errorf("the gateway can't become a member of the cluster: %w", err)
	}
	return nil
}

// serves has the member say whom the gateway serves.
func (g *Gateway) serves(tenants []string) {
	if g.membership != nil && !slices.Equal(g.member.Tenants, tenants) {
		g.member.Tenants = slices.Clone(tenants)
		g.membership.Update(g.member)
	}
}

// evict has the store end what those have who are no longer among the tenants.
func (g *Gateway) evict(was, now map[string]*room) {
	back := func(tenant string) bool { return now[tenant] != nil }
	changed := slices.ContainsFunc(g.out, back)
	g.out = slices.DeleteFunc(g.out, back)
	for tenant, r := range was {
		if r.leasing && now[tenant] == nil {
			g.out, changed = append(g.out, tenant), true
		}
	}
	if changed && g.options.Store != nil {
		g.options.Store.Evict(slices.Clone(g.out))
	}
}
