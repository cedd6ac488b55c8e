package allot

import (
	"time"
)

// evict takes up who is no tenant any more: what those had when that was first said ends, whichever gateway gave it, and
// what they wish for at this desk is refused.
func (d *Desk) evict(now time.Time, tenants []string) {
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

func (d *Desk) isEvicted(tenant string) bool {
	_, out := d.evicted[tenant]
	return out
}

// endEvicted notes whose leases have all ended. What another gateway gives them later, which doesn't know yet, is for
// that one to end.
func (d *Desk) endEvicted() {
	for tenant, ends := range d.evicted {
		d.evicted[tenant] = ends && d.state.held[tenant] > 0
	}
}
