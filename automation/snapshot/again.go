package snapshot

import (
	"context"
	"fmt"
	"strings"

	"webmcphub/automation/page"
	"webmcphub/automation/snapshot/tree"
	"webmcphub/cdpclient"
)

// Again finds what a page has made anew in place of an element that it removed, which client was shown as uid: the
// only node of its role and name that stands in the same place, and it must be new. It is nil if there is none.
func (t *Tab) Again(ctx context.Context, p *page.Page, client, uid string) (*Element, error) {
	lost, err := t.Lookup(client, uid)
	if err != nil {
		return nil, err
	}
	docs, err := collect(ctx, p, t.want())
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.last[client]
	t.known(docs)
	now := tree.Build(docs, nil)
	if before == nil || before.Root.Key != now.Root.Key {
		return nil, nil
	}
	is := func(n *tree.Node) bool { return label(n) == lost.Label && n.Is.Same(lost.Is) && lost.Is.Same(n.Is) }
	var place string
	for _, n := range places(before, is) {
		if n.Key == lost.Key {
			place = n.place
		}
	}
	var found *tree.Node
	for _, n := range places(now, is) {
		switch {
		case place == "" || n.place != place:
		case found != nil || before.FindKey(n.Key) != nil:
			return nil, nil
		default:
			found = n.Node
		}
	}
	if found == nil || found.Key.Frame != lost.Key.Frame || found.Key.Loader != lost.Key.Loader {
		return nil, nil
	}
	found.UID = t.table.Assign(found.Key, label(found), found.Traits.ByText)
	t.table.Shown(client, found)
	known, err := t.table.Lookup(client, found.UID)
	return element(known), err
}

// element is what is known of an element before it is asked about.
func element(known Known) *Element {
	return &Element{Known: known, Frame: page.FrameRef{ID: known.Key.Frame, Loader: known.Key.Loader}, Session: cdpclient.SessionID(known.Key.Session)}
}

// placed is a node, and where it stands.
type placed struct {
	*tree.Node
	place string
}

// beside is how many nodes on each side belong to a node's place.
const beside = 3

// places are the nodes of a tree that are meant, with where they stand: what they are in, and what stands beside them
// there. What only groups says nothing of a place, so what stands beside that belongs to it too.
func places(t *tree.Tree, meant func(*tree.Node) bool) []placed {
	var found []placed
	var around []*tree.Node
	var walk func(n *tree.Node)
	walk = func(n *tree.Node) {
		if n.Key.Backend != 0 && meant(n) {
			found = append(found, placed{n, place(around, n)})
		}
		around = append(around, n)
		for _, c := range n.Children {
			walk(c)
		}
		around = around[:len(around)-1]
	}
	walk(t.Root)
	return found
}

func place(around []*tree.Node, n *tree.Node) string {
	var b strings.Builder
	told := false // something beside it tells it from others
	for i := len(around) - 1; i >= 0; i-- {
		in := around[i]
		fmt.Fprintf(&b, "in %s %q\n", in.Role, in.Name)
		if told {
			n = in
			continue
		}
		at := 0
		for at < len(in.Children) && in.Children[at] != n {
			at++
		}
		for k := max(0, at-beside); k < min(len(in.Children), at+beside+1); k++ {
			if k == at {
				b.WriteString("it\n")
				continue
			}
			in.Children[k].Walk(0, func(c *tree.Node, _ int) bool {
				fmt.Fprintf(&b, "%s %q\n", c.Role, c.Name)
				told = told || c.Name != "" && (!c.Traits.Actable || c.Role == "link")
				return true
			})
		}
		n = in
	}
	return b.String()
}
