package leases

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Snapshot returns what the client knows. Each call makes a new Snapshot.
func (c *Client) Snapshot() Snapshot {
	p := Snapshot{WaitingCount: maps.Clone(c.state.waiting)}
	if c.trouble != "" {
		p.Stale = c.trouble + "; leases stay as they were last known, and new requests wait"
	}
	for _, key := range slices.Sorted(maps.Keys(c.state.members)) {
		p.Members = append(p.Members, c.state.members[key].value)
	}
	for name, r := range c.state.records {
		if l := r.value.Lease; l != nil {
			p.Leases = append(p.Leases, *l)
		} else if !r.value.broken && c.inLife(name, r.value.Life) {
			node, browser := split(name)
			p.Spent = append(p.Spent, Spent{node, browser, r.value.Life})
		}
	}
	slices.SortFunc(p.Leases, func(a, b Lease) int { return strings.Compare(a.Handle, b.Handle) })
	slices.SortFunc(p.Spent, func(a, b Spent) int {
		return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.Browser, b.Browser))
	})
	return p
}

// inLife says whether a browser is in a life, as far as its node has reported.
func (c *Client) inLife(name, life string) bool {
	node, browser := split(name)
	m, _ := c.state.node(node)
	b, ok := m.value.browser(browser)
	return ok && b.Life == life
}
