package leases

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"
)

// membership is a member that this process keeps.
type membership struct {
	member  Member
	placed  bool // its entry has been seen, on this session or an earlier one
	gone    bool // it has left
	shutOut bool // another has its name
	taken   taken
}

// taken is what a membership that was never placed knows of another living process of its name.
type taken struct {
	by      string // its incarnation
	since   time.Time
	refused bool
}

// takenFor is how long a new member waits for a name that another process has. That of a process which was killed is
// free once its session has lapsed, after 10 s.
const takenFor = 20 * time.Second

func (c *Client) join(m Member) {
	key := memberKey(m)
	if at := c.members[key]; at != nil {
		at.member, at.gone = m, false
		return
	}
	c.members[key] = &membership{member: m}
}

// noticePlaced notes that the entry which is kept at a key is that of this process's own member. It is called for each
// entry that is taken in: place may see another process's in its stead.
func (c *Client) noticePlaced(key string) {
	at, there := c.state.members[key]
	if m := c.members[key]; m != nil && there && at.value.Incarnation == m.member.Incarnation {
		m.placed = true
	}
}

// place is the transaction that puts a member where it should be; not ok if there is nothing to do.
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
			c.do(Warning{fmt.Sprintf("another process has joined as %s %s, from %s: this one is no member until "+
				"that one has left. Give each its own name", m.member.Role, m.member.Name, at.value.Address)})
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
	if c.putBack(m.member, &tx) { // else it comes with the last of them
		tx.Put = append(tx.Put, Put{Key: key, Value: value, Session: true})
	}
	return tx, true
}

// nameTaken has a new member wait while another process lives under its name, and refuses it if that one doesn't go.
func (c *Client) nameTaken(now time.Time, m *membership, other Member) {
	text := fmt.Sprintf("the name %s %s is that of another process, at %s", m.member.Role, m.member.Name, other.Address)
	switch {
	case m.taken.by != other.Incarnation:
		m.taken = taken{by: other.Incarnation, since: now}
		c.do(Warning{fmt.Sprintf("%s: this one waits up to %v for it to go", text, takenFor)})
	case !m.taken.refused && now.Sub(m.taken.since) >= takenFor:
		m.taken.refused = true
		c.do(Refused{fmt.Errorf("%s, which is still there after %v: give each process its own name", text, takenFor)})
	}
}

// putBack adds to a node's joining the lost records of its browsers, so that nobody ever sees as free
// what isn't. It says whether it has added all of them.
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

// belongs says whether a record is of a browser of m that is in the same life, and isn't kept.
func (c *Client) belongs(name string, r record, m Member) bool {
	if _, kept := c.state.records[name]; kept {
		return false
	}
	node, browser := split(name)
	b, ok := m.browser(browser)
	return ok && node == m.Name && b.Life == r.Life
}

// recall remembers the records of this process's browsers, which the store has lost.
func (c *Client) recall(before *state) {
	if c.lost == nil {
		c.lost = map[string]record{}
	}
	for name, r := range before.records {
		if node, _ := split(name); c.members[nodeKey(node)] != nil && !r.value.broken {
			c.lost[name] = r.value
		}
	}
	c.do(Warning{fmt.Sprintf("etcd has lost what it kept: the leases of this process's %d browsers are put back",
		len(c.lost))})
}

// setLimits is the transaction that sets this process's limits for all; empty if they are set.
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
