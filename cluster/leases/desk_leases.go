package leases

import (
	"maps"
	"slices"
	"time"
)

// move is a transaction that moves leases. All of them are carried out one after another, for each
// changes the turns, and demands that they are still those that it knew.
type move struct {
	tx    Tx
	turns turns
	names map[string]bool // what it has changed already
	conds map[string]bool
}

// allot ends what must end, puts back what was lost, and gives this desk's wishes what is theirs.
func (d *Client) allot(now time.Time) {
	d.judge(now)
	d.watchServed(now)
	if !d.open(Deciding, now) {
		return
	}
	m := &move{turns: d.state.turns.value, names: map[string]bool{}, conds: map[string]bool{}}
	m.turns.Last = maps.Clone(m.turns.Last)
	d.endReturned(now, m)
	if d.opts.Allots {
		d.endOver(now, m)
	}
	if !d.opts.Allots || !d.restore(m) { // nothing is given while something is put back
		d.notNow(now, d.give(now, m))
	}
	if len(m.names) == 0 {
		return
	}
	m.turns.Last = d.pruned(m.turns.Last)
	m.tx.If = append(m.tx.If, If{turnsAt, d.state.turns.version})
	m.tx.Put = append(m.tx.Put, Put{Key: turnsAt, Value: encode(m.turns)})
	d.commit(Deciding, m.tx)
}

// room says whether the transaction takes another lease.
func (m *move) room() bool { return max(len(m.tx.If), len(m.tx.Put)+len(m.tx.Delete))+4 <= MaxOps }

func (m *move) demand(key string, version int64) {
	if !m.conds[key] {
		m.conds[key] = true
		m.tx.If = append(m.tx.If, If{key, version})
	}
}

// end ends the lease of a record. The browser's life stays used, whatever becomes of the browser: its
// node may be away for a while only, and come back with it.
func (m *move) end(now time.Time, name string, r kept[record]) {
	if !m.room() || m.names[name] {
		return
	}
	m.names[name] = true
	m.demand(browsersAt+name, r.version)
	m.tx.Put = append(m.tx.Put, Put{Key: browsersAt + name,
		Value: encode(record{Life: r.value.Life, Ended: now.UnixMilli()})})
	if t := now.UnixMilli(); m.turns.Ended > 0 {
		m.turns.Pace = (7*m.turns.Pace + max(0, t-m.turns.Ended)) / 8
		m.turns.Ended = max(t, m.turns.Ended)
	} else {
		m.turns.Ended = t
	}
}

// endIf ends the lease of a record, on further conditions.
func (m *move) endIf(now time.Time, name string, r kept[record], conditions ...If) {
	if len(m.tx.If)+len(conditions) > MaxOps-4 {
		return
	}
	for _, on := range conditions {
		m.demand(on.Key, on.Version)
	}
	m.end(now, name, r)
}

// endReturned ends leases that are returned, and those that came for wishes given up.
func (d *Client) endReturned(now time.Time, m *move) {
	for _, id := range slices.Sorted(maps.Keys(d.returns)) {
		back := d.returns[id]
		if r, ok := d.state.lease(back.handle); ok && r.value.Lease.Tenant == back.tenant {
			m.end(now, r.value.Lease.Name(), r)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.wishes)) {
		if r, ok := d.state.lease(d.state.given[d.wishes[id].ticket]); ok {
			m.end(now, r.value.Lease.Name(), r)
		}
	}
}

// endOver ends leases that are too old, whose tenant is none any more, or is served by no gateway, whose browser has begun
// another life, or whose node is gone.
func (d *Client) endOver(now time.Time, m *move) {
	for name, r := range d.state.records {
		node, browser := split(name)
		at, there := d.state.node(node)
		b, listed := at.value.browser(browser)
		l := r.value.Lease
		if there {
			delete(d.absent, node)
		}
		switch {
		case r.value.broken:
		case l == nil && !listed && now.Sub(time.UnixMilli(r.value.Ended)) >= forgetAfter:
			m.drop(name, r)
		case l == nil:
		case !there && d.absence(now, node) >= d.state.limits.value.absence(), there && b.Life != r.value.Life:
			m.endIf(now, name, r, If{nodeKey(node), at.version})
		case !now.Before(l.Until), d.evicted[l.Tenant]:
			m.end(now, name, r)
		case d.forsaken(now, l.Tenant):
			m.endIf(now, name, r, d.gateways()...)
		}
	}
	d.endEvicted()
}

// drop forgets a browser.
func (m *move) drop(name string, r kept[record]) {
	if m.room() {
		m.names[name] = true
		m.demand(browsersAt+name, r.version)
		m.tx.Delete = append(m.tx.Delete, browsersAt+name)
	}
}

// absence is for how long a node is known to be gone.
func (d *Client) absence(now time.Time, node string) time.Duration {
	if _, known := d.absent[node]; !known {
		d.absent[node] = now
	}
	return now.Sub(d.absent[node])
}

// restore puts back leases that were lost, where the browser is there, in the same life and nobody's.
// Mostly nodes have done so already, as they joined. It says whether anything was left to put back.
func (d *Client) restore(m *move) (any bool) {
	for _, name := range slices.Sorted(maps.Keys(d.lost)) {
		node, _ := split(name)
		at, there := d.state.node(node)
		if !there {
			continue
		}
		if r := d.lost[name]; !d.belongs(name, r, at.value) {
			delete(d.lost, name)
		} else if any = true; m.room() {
			m.names[name] = true
			m.demand(browsersAt+name, 0)
			m.demand(nodeKey(node), at.version)
			m.tx.Put = append(m.tx.Put, Put{Key: browsersAt + name, Value: encode(r)})
		}
	}
	return any
}

// give gives this desk's wishes what is theirs. It says which tickets can be served now, by this desk
// or another.
func (d *Client) give(now time.Time, m *move) map[string]bool {
	served := map[string]bool{}
	if d.opts.Limits != nil && d.state.limits.version == 0 { // what may be given isn't known before they are set
		return served
	}
	for _, g := range d.state.decide(now, d.passed(now), d.fresh()...) {
		served[g.ticket] = true // now, by another desk, or in the next transaction
		w := d.waits(g.ticket)
		if w == nil || !m.room() {
			continue
		}
		w.trying = true
		name := g.lease.Name()
		at, _ := d.state.node(g.lease.Node)
		m.names[name] = true
		m.demand(ticketsAt+g.ticket, d.state.tickets[g.ticket].version)
		m.demand(browsersAt+name, d.state.records[name].version)
		m.demand(nodeKey(g.lease.Node), at.version)
		m.demand(limitsAt, d.state.limits.version)
		m.tx.Put = append(m.tx.Put, Put{Key: browsersAt + name,
			Value: encode(record{Life: g.lease.Life, Lease: &g.lease})})
		m.tx.Delete = append(m.tx.Delete, ticketsAt+g.ticket)
		if m.turns.Last == nil {
			m.turns.Last = map[string]uint64{}
		}
		m.turns.Turn++
		m.turns.Last[g.lease.Tenant] = m.turns.Turn
	}
	d.watchTurns(now, served)
	return served
}

// waits is the wish of this desk that waits with a ticket; nil if there is none.
func (d *Client) waits(ticket string) *wish {
	for _, w := range d.wishes {
		if w.ticket == ticket && w.over.IsZero() {
			return w
		}
	}
	return nil
}

// passed are the tickets that go after all others, for their desk hasn't served them when it was
// their turn: it may hang.
func (d *Client) passed(now time.Time) map[string]bool {
	passed := map[string]bool{}
	for id, since := range d.turn {
		if _, there := d.state.tickets[id]; there && now.Sub(since) >= passAfter {
			passed[id] = true
		}
	}
	return passed
}

// watchTurns notes whose turn it is at other desks.
func (d *Client) watchTurns(now time.Time, served map[string]bool) {
	for id, since := range d.turn {
		if _, there := d.state.tickets[id]; !there || !served[id] && now.Sub(since) < passAfter {
			delete(d.turn, id)
		}
	}
	for id := range served {
		if _, known := d.turn[id]; !known && !d.mine(id) {
			d.turn[id] = now
		}
	}
}

// pruned are the turns of tenants that hold something or wait. Others come with a new ticket, which
// says its turn.
func (d *Client) pruned(last map[string]uint64) map[string]uint64 {
	newest := d.state.turns.value.Turn
	maps.DeleteFunc(last, func(tenant string, turn uint64) bool {
		return turn <= newest && d.state.held[tenant] == 0 && d.state.waiting[tenant] == 0
	})
	return last
}

// arm asks to be told when something is due.
func (d *Client) arm(now time.Time) {
	var next time.Time
	due := func(at time.Time) {
		if at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, w := range d.wishes {
		due(w.since.Add(w.Wait))
		if !w.over.IsZero() {
			due(w.over.Add(remember))
		}
	}
	for _, r := range d.returns {
		due(r.since.Add(grace))
	}
	for _, m := range d.own {
		if m.taken.by != "" {
			due(m.taken.since.Add(takenFor))
		}
	}
	for i := range d.slots {
		if !d.slots[i].busy {
			due(d.slots[i].until)
		}
	}
	for _, since := range d.turn {
		due(since.Add(passAfter))
	}
	if d.opts.Allots {
		for _, since := range d.absent {
			due(since.Add(d.state.limits.value.absence()))
		}
		for _, since := range d.unserved {
			due(since.Add(d.state.limits.value.unserved()))
		}
		for _, r := range d.state.records {
			if r.value.Lease != nil {
				due(r.value.Lease.Until)
			}
		}
	}
	if !next.IsZero() && !next.Equal(d.armed) {
		d.armed = next
		d.do(SetTimer{next})
	}
}
