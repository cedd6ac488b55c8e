package leases

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"
)

// membership is a member that this desk keeps.
type membership struct {
	member Member
	// put says that it hangs on the current session, placing that this is under way, and placed that
	// it has hung on this session or an earlier one.
	put, placing, placed bool
	gone                 bool // it has left
	shutOut              bool // another has its name
	taken                taken
}

// taken is what a membership that was never placed knows of another living process of its name.
type taken struct {
	by      string // its incarnation
	since   time.Time
	refused bool
}

// takenFor is how long a new member waits for a name that another process has. That of a process which was killed is free
// once its session has lapsed, after 10 s.
const takenFor = 20 * time.Second

func (d *Client) join(m Member) {
	key := memberKey(m)
	if at := d.own[key]; at != nil {
		at.member, at.gone = m, false
		return
	}
	d.own[key] = &membership{member: m}
}

func (d *Client) leave(key string) {
	if m := d.own[key]; m != nil {
		m.gone = true
	}
}

// announce puts what hangs on the session: a member, the limits, or tickets.
func (d *Client) announce(now time.Time) {
	if !d.open(Announcing, now) {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(d.own)) {
		if tx, ok := d.place(now, key, d.own[key]); ok {
			d.commit(Announcing, tx)
			return
		}
	}
	if tx, ok := d.setLimits(); ok {
		d.commit(Announcing, tx)
		return
	}
	if tx := d.tickets(now); len(tx.Put)+len(tx.Delete) > 0 {
		d.commit(Announcing, tx)
	}
}

// place is the transaction that puts a member where it should be; not ok if there is nothing to do.
func (d *Client) place(now time.Time, key string, m *membership) (Tx, bool) {
	at, there := d.state.members[key]
	others := there && at.value.Incarnation != m.member.Incarnation
	if m.gone {
		if !there || others {
			delete(d.own, key)
			return Tx{}, false
		}
		return Tx{If: []If{{key, at.version}}, Delete: []string{key}}, true
	}
	if others && !m.placed {
		d.nameTaken(now, m, at.value)
		return Tx{}, false
	}
	if others {
		if !m.shutOut {
			d.do(Warning{fmt.Sprintf("another process has joined as %s %s, from %s: this one is no member until "+
				"that one has left. Give each its own name", m.member.Role, m.member.Name, at.value.Address)})
		}
		m.shutOut, m.put, m.placing = true, false, false
		return Tx{}, false
	}
	m.shutOut = false
	value := encode(m.member)
	if there && m.put && bytes.Equal(encode(at.value), value) {
		return Tx{}, false
	}
	tx := Tx{If: []If{{key, at.version}}}
	if m.placing = d.putBack(m.member, &tx); m.placing { // else it comes with the last of them
		tx.Put = append(tx.Put, Put{Key: key, Value: value, Session: true})
	}
	return tx, true
}

// nameTaken has a new member wait while another process lives under its name, and refuses it if that one doesn't go.
func (d *Client) nameTaken(now time.Time, m *membership, other Member) {
	text := fmt.Sprintf("the name %s %s is that of another process, at %s", m.member.Role, m.member.Name, other.Address)
	switch {
	case m.taken.by != other.Incarnation:
		m.taken = taken{by: other.Incarnation, since: now}
		d.do(Warning{fmt.Sprintf("%s: this one waits up to %v for it to go", text, takenFor)})
	case !m.taken.refused && now.Sub(m.taken.since) >= takenFor:
		m.taken.refused = true
		d.do(Refused{fmt.Errorf("%s, which is still there after %v: give each process its own name", text, takenFor)})
	}
}

// putBack adds to a node's joining the lost records of its browsers, so that nobody ever sees as free
// what isn't. It says whether it has added all of them.
func (d *Client) putBack(m Member, tx *Tx) (all bool) {
	if m.Role != Node {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(d.lost)) {
		if r := d.lost[name]; d.belongs(name, r, m) {
			if len(tx.Put) == MaxOps-1 {
				return false
			}
			key := browsersAt + name
			tx.If = append(tx.If, If{Key: key})
			tx.Put = append(tx.Put, Put{Key: key, Value: encode(r)})
		}
	}
	return true
}

// belongs says whether a record is of a browser of m that is in the same life, and isn't kept.
func (d *Client) belongs(name string, r record, m Member) bool {
	if _, kept := d.state.records[name]; kept {
		return false
	}
	node, browser := split(name)
	b, ok := m.browser(browser)
	return ok && node == m.Name && b.Life == r.Life
}

// recall keeps what was known, after it was lost.
func (d *Client) recall(before *state) {
	if d.lost == nil {
		d.lost = map[string]record{}
	}
	for name, r := range before.records {
		if !r.value.broken {
			d.lost[name] = r.value
		}
	}
	if d.state.turns.version == 0 {
		d.state.turns.value = before.turns.value
	}
	if d.state.limits.version == 0 {
		d.state.limits.value = before.limits.value
	}
	d.do(Warning{fmt.Sprintf("what etcd kept is lost: %d browsers' leases are put back as their nodes come again",
		len(d.lost))})
}

// missed is a node that was there lately.
type missed struct {
	member Member
	since  time.Time
}

// miss notes that a node is gone.
func (d *Client) miss(now time.Time, m Member) {
	if m.Role == Node {
		d.missed[m.Name] = missed{m, now}
		d.absent[m.Name] = now // anew, if it has come and gone since the last time
	}
}

// lately are the nodes that are gone, but may come again: as long as their leases hold.
func (d *Client) lately(now time.Time) (all []Member) {
	for name, m := range d.missed {
		if _, back := d.state.node(name); back || now.Sub(m.since) >= d.state.limits.value.absence() {
			delete(d.missed, name)
		} else {
			all = append(all, m.member)
		}
	}
	return all
}

// setLimits is the transaction that sets the desk's limits for all; not ok if they are set.
func (d *Client) setLimits() (Tx, bool) {
	if d.opts.Limits == nil {
		return Tx{}, false
	}
	value := encode(d.opts.Limits)
	at := d.state.limits
	if at.version != 0 && (d.limitsSet || bytes.Equal(encode(at.value), value)) {
		d.limitsSet = true
		return Tx{}, false
	}
	return Tx{If: []If{{limitsAt, at.version}}, Put: []Put{{Key: limitsAt, Value: value}}}, true
}
