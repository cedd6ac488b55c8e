package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"webmcphub/automation/page"
	"webmcphub/automation/snapshot/tree"
)

// Again finds a new element that has replaced a removed one, which the client was shown as uid: a new node with the
// same role and name, at the place where only the removed element stood. It returns nil if there is none or if in
// doubt, because nothing may be done to another element.
func (t *Tab) Again(ctx context.Context, p *page.Page, client, uid string) (*Known, error) {
	lost, err := t.Lookup(client, uid)
	if err != nil {
		return nil, err
	}
	now, err := t.look(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	before := t.last[client]
	if before == nil || before.Root.Key != now.Root.Key {
		return nil, nil
	}
	is := func(n *tree.Node) bool { return label(n) == lost.Label && n.Is.Same(lost.Is) && lost.Is.Same(n.Is) }
	var found *tree.Node
	there := places(now, is)
	for place, n := range places(before, is) {
		if n != nil && n.Key == lost.Key {
			found = there[place]
		}
	}
	if found == nil || before.FindKey(found.Key) != nil || found.Key.Frame != lost.Key.Frame ||
		found.Key.Loader != lost.Key.Loader {
		return nil, nil
	}
	found.UID = t.table.Assign(found.Key, label(found), found.Traits.ByText)
	t.table.Shown(client, found)
	known, err := t.table.Lookup(client, found.UID)
	return &known, err
}

// maxPlace bounds how many nodes may describe a place. An element among more nodes is not found again.
const maxPlace = 500

// places returns those nodes of a tree for which meant is true, by their places. A place has nil if several nodes
// stand there. Nodes that nothing distinguishes from the others are left out.
func places(t *tree.Tree, meant func(*tree.Node) bool) map[string]*tree.Node {
	all := 0
	t.Root.Walk(0, func(n *tree.Node, _ int) bool {
		if meant(n) {
			all++
		}
		return true
	})
	found := map[string]*tree.Node{}
	var around []*tree.Node
	var walk func(n *tree.Node)
	walk = func(n *tree.Node) {
		if n.Key.Backend != 0 && meant(n) {
			if at, distinct := place(around, n); distinct || all == 1 {
				_, several := found[at]
				if found[at] = n; several {
					found[at] = nil
				}
			}
		}
		around = append(around, n)
		for _, c := range n.Children {
			walk(c)
		}
		around = around[:len(around)-1]
	}
	walk(t.Root)
	delete(found, "")
	return found
}

// place describes a node and its place. The description has everything beside the node, up to the level at which
// something distinguishes the node from others, and from there on the nodes around it, with the headings and texts
// there. It is "" if that is too much.
func place(around []*tree.Node, n *tree.Node) (at string, distinct bool) {
	var b strings.Builder
	described := 0
	describe := func(n *tree.Node, states ...string) {
		described++
		states = slices.DeleteFunc(states, func(s string) bool { return s == "focused" })
		fmt.Fprintf(&b, "%s %q %q %q %q %q\n", n.Role, n.Name, n.Value, n.URL, n.About, states)
	}
	describe(n) // without its states, because an action may wait for them to change
	for i := len(around) - 1; i >= 0; i-- {
		in, far := around[i], distinct
		b.WriteString("in ")
		describe(in, slices.Clone(in.States)...)
		for _, c := range in.Children {
			if described > maxPlace {
				return "", false
			}
			if c == n {
				b.WriteString("it\n")
				continue
			}
			if far {
				if c.Role == "heading" || !c.Traits.Actable && len(c.Children) == 0 {
					describe(c, slices.Clone(c.States)...)
				}
				continue
			}
			c.Walk(0, func(c *tree.Node, _ int) bool {
				describe(c, slices.Clone(c.States)...)
				distinct = distinct || c.Value != "" || c.Name != "" && (!c.Traits.Actable || c.Role == "link")
				return described <= maxPlace
			})
		}
		n = in
	}
	return b.String(), distinct
}
