package leases

import (
	"maps"
	"time"
)

// serving is which gateways there are, and how many of them serve each tenant.
type serving struct {
	gateways int
	silent   int // those that don't say whom they serve: builds before Member.Tenants
	of       map[string]int
}

// count takes a member in (by 1) or out (by -1).
func (s *serving) count(m Member, by int) {
	if m.Role != Gateway {
		return
	}
	s.gateways += by
	if m.Tenants == nil {
		s.silent += by
	}
	for _, tenant := range m.Tenants {
		if s.of[tenant] += by; s.of[tenant] <= 0 {
			delete(s.of, tenant)
		}
	}
}

// nobody says that there are gateways, and that none of them serves a tenant.
func (s *serving) nobody(tenant string) bool {
	return s.gateways > 0 && s.silent == 0 && s.of[tenant] == 0
}

// watchServed notes which of those who hold something no gateway serves.
func (d *Client) watchServed(now time.Time) {
	maps.DeleteFunc(d.unserved, func(tenant string, _ time.Time) bool {
		return d.state.held[tenant] == 0 || !d.state.serving.nobody(tenant)
	})
	for tenant := range d.state.held {
		if _, known := d.unserved[tenant]; !known && d.state.serving.nobody(tenant) {
			d.unserved[tenant] = now
		}
	}
}

// forsaken says whether no gateway has served a tenant for so long that its leases end.
func (d *Client) forsaken(now time.Time, tenant string) bool {
	since, unserved := d.unserved[tenant]
	return unserved && now.Sub(since) >= d.state.limits.value.unserved()
}

// gateways are conditions under which none that is known serves somebody else since.
func (d *Client) gateways() (all []If) {
	for key, m := range d.state.members {
		if m.value.Role == Gateway {
			all = append(all, If{key, m.version})
		}
	}
	return all
}
