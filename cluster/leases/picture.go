package leases

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Picture is what the desk knows. It is made anew each time.
func (d *Client) Picture() Snapshot {
	p := Snapshot{Waiting: maps.Clone(d.state.waiting)}
	if d.trouble != "" {
		p.Stale = d.trouble + "; leases hold on as they were last known, and new ones wait"
	}
	for _, key := range slices.Sorted(maps.Keys(d.state.members)) {
		p.Members = append(p.Members, d.state.members[key].value)
	}
	for name, r := range d.state.records {
		if l := r.value.Lease; l != nil {
			p.Leases = append(p.Leases, *l)
		} else if !r.value.broken && d.inLife(name, r.value.Life) {
			node, browser := split(name)
			p.Used = append(p.Used, Used{node, browser, r.value.Life})
		}
	}
	slices.SortFunc(p.Leases, func(a, b Lease) int { return strings.Compare(a.Handle, b.Handle) })
	slices.SortFunc(p.Used, func(a, b Used) int {
		return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.Browser, b.Browser))
	})
	return p
}

// inLife says whether a browser is in a life, as far as its node has said.
func (d *Client) inLife(name, life string) bool {
	node, browser := split(name)
	m, _ := d.state.node(node)
	b, ok := m.value.browser(browser)
	return ok && b.Life == life
}
