package leases

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// request is a request of this process that isn't answered, or was over recently.
type request struct {
	Request
	id       string
	since    time.Time
	record   queued    // its entry, as the client last saw or put it
	over     time.Time // since when nobody waits for it; zero while somebody does
	reported *Progress
}

// bound returns how long the client may take to answer the request.
func (r *request) bound() time.Duration {
	if r.Wait <= 0 {
		return undecided
	}
	return r.Wait
}

// release is a request to end a lease.
type release struct {
	tenant, handle string
	since          time.Time
	seen           bool // the client has seen the lease
}

// request begins a request, or refuses it at once.
func (c *Client) request(now time.Time, e Requested) {
	mine := 0
	for _, r := range c.requests {
		if r.Tenant == e.Request.Tenant && r.over.IsZero() {
			mine++
		}
	}
	r := &request{Request: e.Request, id: fmt.Sprintf("%s-%08d", c.opts.Name, e.ID), since: now}
	no := tooLarge(e.Request)
	if may := c.state.limits.value.Of(r.Tenant).Waiting; c.isRemoved(r.Tenant) {
		no = noTenant()
	} else if no == nil && c.listed && mine >= may { // the leader would refuse it
		no = queueFull(mine, c.state.retryAfter())
	}
	if no != nil {
		c.do(Answered{ID: e.ID, Err: no})
		return
	}
	c.requests[e.ID] = r
}

func (c *Client) cancel(now time.Time, id uint64) {
	if r := c.requests[id]; r != nil && r.over.IsZero() {
		r.over = now
	}
	delete(c.releases, id)
}

// refuse ends a request. If it is granted a lease nevertheless, putRequests ends the lease.
func (c *Client) refuse(now time.Time, id uint64, why *Refusal) {
	c.requests[id].over = now
	c.do(Answered{ID: id, Err: why})
}

// putRequests returns the transaction that puts new requests, deletes those for which nobody waits, and confirms, ends
// and renews leases.
func (c *Client) putRequests(now time.Time) Tx {
	m := &txBuilder{}
	waits := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(c.requests)) {
		r := c.requests[id]
		at, there := c.state.requests[r.id]
		l, granted := c.state.lease(c.state.granted[r.id])
		if !r.over.IsZero() {
			if granted { // otherwise nobody would ever know of the lease
				m.end(now, l.value.Lease.Name(), l)
			}
			continue
		}
		if granted && there && m.room() {
			m.require(requestsAt+r.id, at.version)
			m.replace(l)
			continue
		}
		if there {
			r.record = at.value
		} else if !r.record.Admitted { // once admitted it may go on waiting, whatever its tenant has by now
			r.record = queued{Tenant: r.Tenant, Labels: r.Labels, Profile: r.Profile, NoWait: r.Wait <= 0,
				Turn: c.state.turns.value.Turn}
		}
		if waits[r.id] = true; there && at.session == c.session || !m.room() {
			continue
		}
		m.require(requestsAt+r.id, at.version)
		m.tx.Put = append(m.tx.Put, Put{Key: requestsAt + r.id, Value: encode(r.record), Session: true})
	}
	for _, id := range slices.Sorted(maps.Keys(c.state.requests)) {
		if c.mine(id) && !waits[id] && m.room() {
			m.tx.Delete = append(m.tx.Delete, requestsAt+id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.releases)) {
		back := c.releases[id]
		if r, ok := c.state.lease(back.handle); ok && r.value.Lease.Tenant == back.tenant {
			m.end(now, r.value.Lease.Name(), r)
		}
	}
	for name, r := range c.state.records {
		l := r.value.Lease
		switch {
		case l == nil:
		case c.removed[l.Tenant]:
			m.end(now, name, r)
		case c.inUse[l.Tenant] && !r.value.Pending && now.Sub(l.used()) >= c.state.limits.value.renewal() && m.room():
			r.value.Lease = new(Lease)
			*r.value.Lease = *l
			r.value.Lease.Used = now
			m.replace(r)
		}
	}
	c.inUse = nil
	for tenant, ends := range c.removed { // another gateway that grants a lease later has to end it
		c.removed[tenant] = ends && c.state.held[tenant] > 0
	}
	return m.tx
}

// mine says whether a request is this client's.
func (c *Client) mine(id string) bool {
	return strings.HasPrefix(id, c.opts.Name+"-") && len(id) == len(c.opts.Name)+9
}

// answer answers requests that the leader has granted or refused, and releases that are done.
func (c *Client) answer(now time.Time) {
	for id, r := range c.requests {
		if !r.over.IsZero() {
			continue
		}
		if l, ok := c.state.lease(c.state.granted[r.id]); ok && !l.value.Pending {
			c.do(Answered{ID: id, Lease: *l.value.Lease})
			delete(c.requests, id)
		} else if why := c.state.requests[r.id].value.Refused; why != "" {
			c.refuse(now, id, c.refusal(now, r, why))
		}
	}
	for id, r := range c.releases {
		l, there := c.state.lease(r.handle)
		switch {
		case there && l.value.Lease.Tenant == r.tenant:
			r.seen = true
			continue
		case r.seen:
			c.do(Answered{ID: id})
		case there || c.listed && c.trouble == "" && now.Sub(r.since) >= grace:
			c.do(Answered{ID: id, Err: ErrNoLease})
		default:
			continue
		}
		delete(c.releases, id)
	}
}

// refusal returns the refusal for the leader's reason.
func (c *Client) refusal(now time.Time, r *request, why Reason) *Refusal {
	s := c.state
	switch may := s.limits.value.Of(r.Tenant); why {
	case NoSuchLabels:
		return noSuchLabels(r.Request, labelsOf(c.recentMembers(now)))
	case OverQuota:
		return overQuota(s.handles(r.Tenant), may.Browsers)
	case QueueFull:
		return queueFull(s.waiting[r.Tenant], s.retryAfter())
	}
	return noneFree(0, 0, s.retryAfter())
}

// ahead returns how many requests of the same tenant are before each waiting request of this client.
func (c *Client) ahead() map[string]int {
	ahead, of := map[string]int{}, map[string]int{}
	if len(c.requests) == 0 {
		return nil
	}
	for _, id := range c.state.queue() {
		tenant := c.state.requests[id].value.Tenant
		if c.mine(id) {
			ahead[id] = of[tenant]
		}
		of[tenant]++
	}
	return ahead
}

// expire refuses requests that have waited as long as they may, and forgets requests that were over long ago.
func (c *Client) expire(now time.Time) {
	for id, r := range c.requests {
		waited := now.Sub(r.since)
		switch {
		case !r.over.IsZero():
			if now.Sub(r.over) >= remember {
				delete(c.requests, id)
			}
		case c.trouble != "" && waited >= r.Wait:
			c.refuse(now, id, outOfTouch(waited, c.trouble))
		case waited < r.bound():
		case r.Wait <= 0:
			c.refuse(now, id, outOfTouch(waited, "no gateway has decided on the request"))
		default:
			c.refuse(now, id, noneFree(waited, c.ahead()[r.id], c.state.retryAfter()))
		}
	}
}

// progress reports the progress of requests for which it has changed.
func (c *Client) progress() {
	ahead := c.ahead()
	for id, r := range c.requests {
		if !r.over.IsZero() {
			continue
		}
		at, known := ahead[r.id]
		if !known {
			at = c.state.waiting[r.Tenant]
			if r.reported != nil { // its entry is being put again; it then has its place again
				at = r.reported.Ahead
			}
		}
		if progress := (Progress{Ahead: at, Trouble: c.trouble}); r.reported == nil || *r.reported != progress {
			r.reported = &progress
			c.do(Progressed{id, progress})
		}
	}
}

// revokeRemoved replaces the list of removed tenants. It ends the leases of tenants that are new in the list, also
// leases that other gateways requested. It refuses requests of the tenants in the list.
func (c *Client) revokeRemoved(now time.Time, tenants []string) {
	was := c.removed
	c.removed = map[string]bool{}
	for _, tenant := range tenants {
		ends, known := was[tenant]
		c.removed[tenant] = ends || !known
	}
	for id, r := range c.requests {
		if c.isRemoved(r.Tenant) && r.over.IsZero() {
			c.refuse(now, id, noTenant())
		}
	}
}

func (c *Client) isRemoved(tenant string) bool {
	_, out := c.removed[tenant]
	return out
}

// Settled says that no ended request can still get a browser, and that no release is pending. A client that is closed
// then leaves no lease that nobody knows of. While the client is out of touch, only its own releases and a running
// transaction count.
func (c *Client) Settled() bool {
	s := c.slots[Own]
	switch {
	case s.busy, len(c.releases) > 0:
		return false
	case c.trouble != "":
		return true
	}
	for _, r := range c.requests {
		if c.state.requests[r.id].version != 0 || c.state.granted[r.id] != "" {
			return false
		}
	}
	return s.backoff > 0 || s.await <= c.state.revision
}
