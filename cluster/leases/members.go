package leases

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"
)

// membership is a member of this process, and the state of its entry.
type membership struct {
	member  Member
	placed  bool // the client has seen its entry, in this session or an earlier one
	gone    bool // the member has left
	shutOut bool // another process has its name
	taken   taken
}

// taken describes another living process that has the name of a member which was never placed.
type taken struct {
	by      string // incarnation of the other process
	since   time.Time
	refused bool
}

// takenFor is how long a new member waits for a name that another process has. The name of a killed process becomes
// free when its session has lapsed, after 10 s.
const takenFor = 20 * time.Second

func (c *Client) join(m Member) {
	key := memberKey(m)
	if at := c.members[key]; at != nil {
		at.member, at.gone = m, false
		return
	}
	c.members[key] = &membership{member: m}
}

// noticePlaced notes whether the entry at a key is this process's own member. It is called for each entry that the
// client reads, because another process's entry may have replaced it by the time place looks.
func (c *Client) noticePlaced(key string) {
	at, there := c.state.members[key]
	if m := c.members[key]; m != nil && there && at.value.Incarnation == m.member.Incarnation {
		m.placed = true
	}
}

// place returns the transaction that brings a member's entry up to date. ok is false if there is nothing to do.
func (c *Client) place(now time.Time, key string, m *membership) (Tx, bool) {
	at, there := c.state.members[key]
	others := there && at.value.Incarnation != m.member.Incarnation
	if m.gone {
		if !there || others {
			delete(c.members, key)
			return Tx{}, false
		}
		return Tx{If: []If{{key, at.version}}, Delete: []string{key}}, true
	}
	if others && !m.placed {
		c.nameTaken(now, m, at.value)
		return Tx{}, false
	}
	if others {
		if !m.shutOut {
			c.do(Warning{fmt.Sprintf("another process has joined as %s %s, at %s: this process is not a member "+
				"until that one has left. Give each process its own name", m.member.Role, m.member.Name,
				at.value.Address)})
		}
		m.shutOut = true
		return Tx{}, false
	}
	m.shutOut = false
	value := encode(m.member)
	if there && at.session == c.session && bytes.Equal(encode(at.value), value) {
		return Tx{}, false
	}
	tx := Tx{If: []If{{key, at.version}}}
	if c.putBack(m.member, &tx) { // otherwise the last transaction of putBack adds the member
		tx.Put = append(tx.Put, Put{Key: key, Value: value, Session: true})
	}
	return tx, true
}

// nameTaken lets a new member wait for its name while another living process has it, and refuses it after takenFor.
func (c *Client) nameTaken(now time.Time, m *membership, other Member) {
	text := fmt.Sprintf("the name %s %s belongs to another process, at %s", m.member.Role, m.member.Name, other.Address)
	switch {
	case m.taken.by != other.Incarnation:
		m.taken = taken{by: other.Incarnation, since: now}
		c.do(Warning{fmt.Sprintf("%s: this process waits up to %v for that one to leave", text, takenFor)})
	case !m.taken.refused && now.Sub(m.taken.since) >= takenFor:
		m.taken.refused = true
		c.do(Refused{fmt.Errorf("%s, which is still there after %v: give each process its own name", text, takenFor)})
	}
}

// putBack adds the lost records of a node's browsers to the transaction by which the node joins, so that no process
// ever sees a leased browser as free. It returns false if there was no room for all of them.
func (c *Client) putBack(m Member, tx *Tx) (all bool) {
	if m.Role != Node {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(c.lost)) {
		if r := c.lost[name]; c.belongs(name, r, m) {
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

// belongs says whether m's browser is in the record's life, and no record of the browser is kept.
func (c *Client) belongs(name string, r record, m Member) bool {
	if _, kept := c.state.records[name]; kept {
		return false
	}
	node, browser := split(name)
	b, ok := m.browser(browser)
	return ok && node == m.Name && b.Life == r.Life
}

// recall remembers the records of this process's browsers that the store has lost.
func (c *Client) recall(before *state) {
	if c.lost == nil {
		c.lost = map[string]record{}
	}
	for name, r := range before.records {
		if node, _ := split(name); c.members[nodeKey(node)] != nil && !r.value.broken {
			c.lost[name] = r.value
		}
	}
	c.do(Warning{fmt.Sprintf("etcd has lost its data: this process puts back what it knows of the leases of %d "+
		"browsers", len(c.lost))})
}

// setLimits returns the transaction that sets this process's limits for all gateways; it is empty if they are set.
func (c *Client) setLimits() Tx {
	if c.opts.Limits == nil {
		return Tx{}
	}
	value := encode(c.opts.Limits)
	at := c.state.limits
	if at.version != 0 && (c.limitsSet || bytes.Equal(encode(at.value), value)) {
		c.limitsSet = true
		return Tx{}
	}
	return Tx{If: []If{{limitsAt, at.version}}, Put: []Put{{Key: limitsAt, Value: value}}}
}
