package leases

import (
	"time"
)

// evict takes up who is no tenant any more: what those had when that was first said ends, whichever gateway gave it, and
// what they wish for at this desk is refused.
func (d *Client) evict(now time.Time, tenants []string) {
	was := d.evicted
	d.evicted = map[string]bool{}
	for _, tenant := range tenants {
		ends, known := was[tenant]
		d.evicted[tenant] = ends || !known
	}
	for id, w := range d.wishes {
		if d.isEvicted(w.Tenant) && w.over.IsZero() {
			d.refuse(now, id, noTenant())
		}
	}
}

// Settled says that no wish given up can still hold a browser, and no return is to be carried out: a desk that is closed
// now leaves nothing to nobody. What isn't known while it is out of touch doesn't count.
func (d *Client) Settled() bool {
	s := d.slots[Deciding]
	if s.busy || len(d.returns) > 0 || d.trouble == "" && s.backoff == 0 && s.await > d.state.revision {
		return false
	}
	for _, w := range d.wishes {
		if _, given := d.state.given[w.ticket]; given {
			return false
		}
	}
	return true
}

func (d *Client) isEvicted(tenant string) bool {
	_, out := d.evicted[tenant]
	return out
}

// endEvicted notes whose leases have all ended. What another gateway gives them later, which doesn't know yet, is for
// that one to end.
func (d *Client) endEvicted() {
	for tenant, ends := range d.evicted {
		d.evicted[tenant] = ends && d.state.held[tenant] > 0
	}
}
