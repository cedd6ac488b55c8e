package leases

import (
	"maps"
	"time"
)

// The leader is elected among the candidates by whoever keeps the entries. It alone grants leases, and ends those that
// must end. Each of its transactions demands that its process still leads: one that was deposed and doesn't know it
// can't write.

// forgetAfter is how long a spent browser is remembered that its node doesn't list, or whose node is gone. A node that
// lives on without the store for longer must be started anew.
const forgetAfter = 24 * time.Hour

// move is a transaction that moves leases.
type move struct {
	tx    Tx
	conds map[string]bool
}

// room says whether the transaction takes another change, on up to four conditions.
func (m *move) room() bool { return max(len(m.tx.If), len(m.tx.Put)+len(m.tx.Delete))+4 <= MaxOps }

func (m *move) demand(key string, version int64) {
	if !m.conds[key] {
		if m.conds == nil {
			m.conds = map[string]bool{}
		}
		m.conds[key] = true
		m.tx.If = append(m.tx.If, If{key, version})
	}
}

func (m *move) set(key string, value any) {
	m.tx.Put = append(m.tx.Put, Put{Key: key, Value: encode(value)})
}

// end ends the lease of a record. The browser's life stays spent, whatever becomes of the browser: its node may be away
// for a while only, and come back with it.
func (m *move) end(now time.Time, name string, r kept[record], conditions ...If) {
	if key := browsersAt + name; m.room() && !m.conds[key] {
		for _, on := range conditions {
			m.demand(on.Key, on.Version)
		}
		m.demand(key, r.version)
		m.set(key, record{Life: r.value.Life, Ended: now.UnixMilli()})
	}
}

// replace puts a record's lease as confirmed.
func (m *move) replace(r kept[record]) {
	if key := browsersAt + r.value.Lease.Name(); !m.conds[key] {
		m.demand(key, r.version)
		m.set(key, record{Life: r.value.Life, Lease: r.value.Lease})
	}
}

// leads says whether this process leads, as far as it knows.
func (c *Client) leads() bool {
	return c.fence.Key != "" && c.state.candidates[c.fence.Key] == c.fence.Version
}

// lead ends what must end, and grants what can be granted, if this process leads.
func (c *Client) lead(now time.Time) {
	if !c.leads() || !c.open(Leading, now) {
		return
	}
	m := &move{}
	m.demand(c.fence.Key, c.fence.Version)
	c.endOver(now, m)
	if c.opts.Limits == nil || c.state.limits.version != 0 { // else it isn't known yet who may have what
		c.grant(now, m)
	}
	c.commit(Leading, m.tx)
}

// endOver ends leases that are too old or idle for too long, whose request was broken off as they were granted, whose
// browser has begun another life, or whose node is gone.
func (c *Client) endOver(now time.Time, m *move) {
	limits := c.state.limits.value
	for name, r := range c.state.records {
		node, browser := split(name)
		at, there := c.state.node(node)
		b, listed := at.value.browser(browser)
		l := r.value.Lease
		if there {
			delete(c.absent, node)
		}
		switch {
		case r.value.broken:
		case l == nil:
			if !listed && now.Sub(time.UnixMilli(r.value.Ended)) >= forgetAfter && m.room() {
				m.demand(browsersAt+name, r.version)
				m.tx.Delete = append(m.tx.Delete, browsersAt+name)
			}
		case r.value.Pending && c.state.requests[l.Request].version == 0:
			m.end(now, name, r, If{Key: requestsAt + l.Request})
		case there && b.Life != r.value.Life, !there && c.absence(now, node) >= limits.absence():
			m.end(now, name, r, If{nodeKey(node), at.version})
		case !now.Before(l.Until), now.Sub(l.used()) >= limits.unused():
			m.end(now, name, r)
		}
	}
}

// absence is for how long a node is known to be gone.
func (c *Client) absence(now time.Time, node string) time.Duration {
	if _, known := c.absent[node]; !known {
		c.absent[node] = now
	}
	return now.Sub(c.absent[node])
}

// missed is a node that was there lately.
type missed struct {
	member Member
	since  time.Time
}

// miss notes that a node is gone.
func (c *Client) miss(now time.Time, m Member) {
	if m.Role == Node {
		c.missed[m.Name] = missed{m, now}
		c.absent[m.Name] = now // anew, if it has come and gone since the last time
	}
}

// lately are the nodes that are there, and those that are gone, but may come again: as long as their leases hold.
func (c *Client) lately(now time.Time) (all []Member) {
	for _, m := range c.state.members {
		all = append(all, m.value)
	}
	for name, m := range c.missed {
		if _, back := c.state.node(name); back || now.Sub(m.since) >= c.state.limits.value.absence() {
			delete(c.missed, name)
		} else {
			all = append(all, m.member)
		}
	}
	return all
}

// grant answers requests: it grants leases, refuses what can't wait, and admits the others to the line.
func (c *Client) grant(now time.Time, m *move) {
	s := c.state
	admitted, refused := c.admit(now)
	granted := map[string]bool{}
	turns := s.turns.value
	turns.Last = maps.Clone(turns.Last)
	if turns.Last == nil {
		turns.Last = map[string]uint64{}
	}
	for _, g := range s.decide(now, admitted) {
		granted[g.Request] = true // now, or by the next transaction
		if !m.room() {
			continue
		}
		at, _ := s.node(g.Node)
		name := g.Name()
		m.demand(requestsAt+g.Request, s.requests[g.Request].version)
		m.demand(browsersAt+name, s.records[name].version)
		m.demand(nodeKey(g.Node), at.version)
		m.set(browsersAt+name, record{Life: g.Life, Lease: &g, Pending: true})
		turns.Turn++
		turns.Last[g.Tenant] = turns.Turn
	}
	if turns.Turn > s.turns.value.Turn {
		maps.DeleteFunc(turns.Last, func(tenant string, turn uint64) bool { // others come with a request, which says its turn
			return turn <= s.turns.value.Turn && s.held[tenant] == 0 && s.waiting[tenant] == 0
		})
		m.demand(turnsAt, s.turns.version) // no grant is made by who doesn't know the one before
		m.set(turnsAt, turns)
	}
	for _, id := range s.queue() {
		at := s.requests[id]
		is := at.value
		if is.Refused = refused[id]; is.Refused == "" && is.NoWait {
			is.Refused = NoneFree
		}
		is.Admitted = is.Refused == ""
		if !granted[id] && (is.Refused != "" || !at.value.Admitted) && m.room() {
			m.demand(requestsAt+id, at.version)
			m.tx.Put = append(m.tx.Put, Put{Key: requestsAt + id, Value: encode(is), SameSession: true})
		}
	}
}

// admit judges the requests that came since, in their order.
func (c *Client) admit(now time.Time) (admitted map[string]bool, refused map[string]Reason) {
	admitted, refused = map[string]bool{}, map[string]Reason{}
	var nodes []Member
	ahead := map[string]int{}
	for _, id := range c.state.queue() {
		r := c.state.requests[id].value
		if !r.Admitted {
			if nodes == nil {
				nodes = c.lately(now)
			}
			if refused[id] = c.state.judge(r, ahead[r.Tenant], nodes); refused[id] != "" {
				continue
			}
			admitted[id] = true
		}
		ahead[r.Tenant]++
	}
	return admitted, refused
}
