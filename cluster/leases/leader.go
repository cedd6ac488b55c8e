package leases

import (
	"maps"
	"time"
)

// The leader is elected among the candidates by the backend. It alone grants leases, and it ends those that must end.
// Each of its transactions requires that its process is still the leader. So a process that has lost an election
// without noticing it can't write as the leader.

// forgetAfter is how long the leader remembers a spent browser that its node doesn't list, or whose node is gone. A
// node that has run without the store for longer must be restarted.
const forgetAfter = 24 * time.Hour

// txBuilder is a transaction under construction that changes leases.
type txBuilder struct {
	tx    Tx
	conds map[string]bool
}

// room says whether the transaction has room for one more change that needs up to four conditions.
func (m *txBuilder) room() bool { return max(len(m.tx.If), len(m.tx.Put)+len(m.tx.Delete))+4 <= MaxOps }

func (m *txBuilder) require(key string, version int64) {
	if !m.conds[key] {
		if m.conds == nil {
			m.conds = map[string]bool{}
		}
		m.conds[key] = true
		m.tx.If = append(m.tx.If, If{key, version})
	}
}

func (m *txBuilder) set(key string, value any) {
	m.tx.Put = append(m.tx.Put, Put{Key: key, Value: encode(value)})
}

// end ends the lease of a record. The life of the browser stays spent: its node may be only temporarily away, and come
// back with the browser in the same life.
func (m *txBuilder) end(now time.Time, name string, r kept[record], conditions ...If) {
	if key := browsersAt + name; m.room() && !m.conds[key] {
		for _, on := range conditions {
			m.require(on.Key, on.Version)
		}
		m.require(key, r.version)
		m.set(key, record{Life: r.value.Life, Ended: now.UnixMilli()})
	}
}

// replace puts a record again, with its lease confirmed.
func (m *txBuilder) replace(r kept[record]) {
	if key := browsersAt + r.value.Lease.Name(); !m.conds[key] {
		m.require(key, r.version)
		m.set(key, record{Life: r.value.Life, Lease: r.value.Lease})
	}
}

// leads says whether this process is the leader, as far as it knows.
func (c *Client) leads() bool {
	return c.fence.Key != "" && c.state.candidates[c.fence.Key] == c.fence.Version
}

// lead ends leases that must end, and grants leases, if this process is the leader.
func (c *Client) lead(now time.Time) {
	if !c.leads() || !c.open(Leading, now) {
		return
	}
	m := &txBuilder{}
	m.require(c.fence.Key, c.fence.Version)
	c.endOver(now, m)
	if c.opts.Limits == nil || c.state.limits.version != 0 { // otherwise the limits aren't known yet
		c.grant(now, m)
	}
	c.commit(Leading, m.tx)
}

// endOver ends leases that are too old or unused for too long, whose request ended before the gateway confirmed the
// lease, whose browser has begun another life, or whose node is gone.
func (c *Client) endOver(now time.Time, m *txBuilder) {
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
				m.require(browsersAt+name, r.version)
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

// absence returns how long ago the client noticed that a node is gone. If it hasn't noticed yet, it does so now.
func (c *Client) absence(now time.Time, node string) time.Duration {
	if _, known := c.absent[node]; !known {
		c.absent[node] = now
	}
	return now.Sub(c.absent[node])
}

// missed is a node that was a member until recently.
type missed struct {
	member Member
	since  time.Time
}

// miss records that a member is gone, if it is a node.
func (c *Client) miss(now time.Time, m Member) {
	if m.Role == Node {
		c.missed[m.Name] = missed{m, now}
		c.absent[m.Name] = now // replaces the time of an earlier absence
	}
}

// recentMembers returns the members, and the nodes that are gone for so short a time that their leases still hold.
func (c *Client) recentMembers(now time.Time) (all []Member) {
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

// grant answers requests: it grants leases, refuses requests that can't wait, and lets the others wait.
func (c *Client) grant(now time.Time, m *txBuilder) {
	s := c.state
	admitted, refused := c.admit(now)
	granted := map[string]bool{}
	turns := s.turns.value
	turns.Last = maps.Clone(turns.Last)
	if turns.Last == nil {
		turns.Last = map[string]uint64{}
	}
	for _, g := range s.decide(now, admitted) {
		granted[g.Request] = true // by this transaction or the next one
		if !m.room() {
			continue
		}
		at, _ := s.node(g.Node)
		name := g.Name()
		m.require(requestsAt+g.Request, s.requests[g.Request].version)
		m.require(browsersAt+name, s.records[name].version)
		m.require(nodeKey(g.Node), at.version)
		m.set(browsersAt+name, record{Life: g.Life, Lease: &g, Pending: true})
		turns.Turn++
		turns.Last[g.Tenant] = turns.Turn
	}
	if turns.Turn > s.turns.value.Turn {
		maps.DeleteFunc(turns.Last, func(tenant string, turn uint64) bool { // later requests of others have a turn
			return turn <= s.turns.value.Turn && s.held[tenant] == 0 && s.waiting[tenant] == 0
		})
		m.require(turnsAt, s.turns.version) // a leader that doesn't know the last grant can't grant
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
			m.require(requestsAt+id, at.version)
			m.tx.Put = append(m.tx.Put, Put{Key: requestsAt + id, Value: encode(is), SameSession: true})
		}
	}
}

// admit decides about new requests, in their order: it returns those that may wait, and the reasons to refuse others.
func (c *Client) admit(now time.Time) (admitted map[string]bool, refused map[string]Reason) {
	admitted, refused = map[string]bool{}, map[string]Reason{}
	var nodes []Member
	ahead := map[string]int{}
	for _, id := range c.state.queue() {
		r := c.state.requests[id].value
		if !r.Admitted {
			if nodes == nil {
				nodes = c.recentMembers(now)
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
