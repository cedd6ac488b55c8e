package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"webmcphub/automation/snapshot/tree"
)

// ChangeTokens bounds the report of what changed after an action, in tokens.
const ChangeTokens = 300

// Change describes how one node differs between two trees.
type Change struct {
	Kind  string     // "appeared", "vanished", "changed" or "renewed" (replaced by one that looks the same)
	Node  *tree.Node // the node as it is now or, if it vanished, as it was
	Was   *tree.Node // the node before, if it changed or was renewed
	Where *tree.Node // the nearest node with a name that contains it
}

// Diff compares two trees of one page. If a whole subtree appeared or vanished, the Change names its topmost node.
// Changes are in the order of the later tree; what vanished comes last.
func Diff(before, after *tree.Tree) []Change {
	old, now := index(before), index(after)
	var changes, gone []Change
	walkIn(after.Root, nil, func(n, where *tree.Node) bool {
		was, ok := old[idOf(n, where)]
		if !ok {
			changes = append(changes, Change{Kind: "appeared", Node: n, Where: where})
			return false
		}
		if signature(was) != signature(n) {
			changes = append(changes, Change{Kind: "changed", Node: n, Was: was, Where: where})
		}
		return true
	})
	walkIn(before.Root, nil, func(n, where *tree.Node) bool {
		if _, ok := now[idOf(n, where)]; !ok {
			gone = append(gone, Change{Kind: "vanished", Node: n, Where: where})
			return false
		}
		return true
	})
	return renewed(changes, gone)
}

// nodeID identifies a node across trees.
type nodeID struct {
	key   tree.Key
	under tree.Key
	text  string // of a node without a key: its place and text
}

func idOf(n, where *tree.Node) nodeID {
	if n.Key.Backend != 0 {
		return nodeID{key: n.Key}
	}
	id := nodeID{text: n.Role + " " + n.Name}
	if where != nil {
		id.under = where.Key
	}
	return id
}

// walkIn calls visit for each node, with the nearest ancestor that has a place in the document.
func walkIn(n, where *tree.Node, visit func(n, where *tree.Node) bool) {
	if !visit(n, where) {
		return
	}
	if n.Traits.Select {
		return // its line lists its options
	}
	for _, c := range n.Children {
		in := n
		if n.Key.Backend == 0 {
			in = where
		}
		walkIn(c, in, visit)
	}
}

func index(t *tree.Tree) map[nodeID]*tree.Node {
	all := map[nodeID]*tree.Node{}
	walkIn(t.Root, nil, func(n, where *tree.Node) bool {
		all[idOf(n, where)] = n
		return true
	})
	return all
}

// signature is what a node shows, except its uid.
func signature(n *tree.Node) string {
	if n.Role == "text" {
		return n.Name
	}
	return whole.what(n)
}

func all(n *tree.Node) string {
	var b strings.Builder
	n.Walk(0, func(n *tree.Node, depth int) bool {
		fmt.Fprintf(&b, "%d %s\n", depth, signature(n))
		return b.Len() < 10_000
	})
	return b.String()
}

// renewed pairs nodes that vanished with nodes that appeared and look the same, because pages often recreate what
// they could have kept. Of these, only nodes whose uid has changed are reported.
func renewed(changes, gone []Change) []Change {
	lost := map[string][]int{}
	for i, g := range gone {
		w := all(g.Node)
		lost[w] = append(lost[w], i)
	}
	taken := make([]bool, len(gone))
	out := changes[:0]
	for _, c := range changes {
		if c.Kind == "appeared" {
			if w := all(c.Node); len(lost[w]) > 0 {
				i := lost[w][0]
				lost[w], taken[i] = lost[w][1:], true
				c.Kind, c.Was = "renewed", gone[i].Node
				if !hasUID(c.Node) {
					continue
				}
			}
		}
		out = append(out, c)
	}
	for i, g := range gone {
		if !taken[i] {
			out = append(out, g)
		}
	}
	return out
}

func hasUID(n *tree.Node) bool {
	found := false
	n.Walk(0, func(n *tree.Node, _ int) bool {
		found = found || n.UID != ""
		return !found
	})
	return found
}

// Changes reports, in at most maxTokens tokens (0 means [ChangeTokens]), what is different in after. What a person
// would notice first comes first. "" means that nothing is different.
func Changes(before, after *tree.Tree, maxTokens int) *Rendering {
	if maxTokens <= 0 {
		maxTokens = ChangeTokens
	}
	got := &Rendering{}
	if before == nil || after == nil {
		return got
	}
	if before.Root.Key != after.Root.Key {
		got.Text = fmt.Sprintf("the page is now another document: %s\n", usual.what(after.Root))
		got.Tokens = Tokens(got.Text)
		return got
	}
	changes := Diff(before, after)
	slices.SortStableFunc(changes, func(a, b Change) int { return weight(a) - weight(b) })
	var b strings.Builder
	tokens, written := 0, 0
	for _, c := range changes {
		text, shown := c.text(max(20, (maxTokens-tokens)/2))
		if cost := Tokens(text); tokens+cost <= maxTokens-20 {
			b.WriteString(text)
			tokens += cost
			got.Shown = append(got.Shown, shown...)
			written++
		}
	}
	if got.Left = len(changes) - written; got.Left > 0 {
		fmt.Fprintf(&b, "… %d more changes: take_snapshot shows them\n", got.Left)
	}
	got.Text = b.String()
	got.Tokens = Tokens(got.Text)
	return got
}

// weight orders changes: first what asks for attention, then what was acted on, what is new and can be acted on, what
// is new to read, what is gone, and what only looks the same.
func weight(c Change) int {
	n := c.Node
	switch {
	case c.Kind == "renewed":
		return 5
	case c.Kind == "vanished":
		return 4
	case n.Role == "dialog" || n.Role == "alertdialog" || n.Role == "alert" || n.Role == "status" ||
		slices.Contains(n.States, "invalid"):
		return 0
	case c.Where != nil && (c.Where.Role == "alert" || c.Where.Role == "status"):
		return 0
	case c.Kind == "changed" && n.Traits.Actable:
		return 1
	case len(tree.Controls(&tree.Node{Children: []*tree.Node{n}})) > 0:
		return 2
	}
	return 3
}

// text describes a change in lines of about limit tokens.
func (c Change) text(limit int) (text string, shown []*tree.Node) {
	switch c.Kind {
	case "vanished":
		n := *c.Node
		uid := n.UID
		n.UID = ""
		text = "- " + lean.line(&n)
		if uid != "" {
			text += " (was " + uid + ")"
		}
		return text + "\n", nil
	case "changed":
		return "~ " + lean.line(c.Node) + c.difference() + "\n", []*tree.Node{c.Node}
	}
	var b strings.Builder
	left := 0
	c.Node.Walk(0, func(n *tree.Node, depth int) bool {
		line := strings.Repeat(" ", min(depth, 24)) + lean.line(n)
		if c.Kind == "renewed" && n.UID == "" && depth > 0 {
			return true
		}
		if limit -= Tokens(line) + 2; limit < 0 && depth > 0 {
			left++
			return false
		}
		b.WriteString("+ " + line)
		if depth == 0 && c.Kind == "renewed" {
			b.WriteString(" (as before, made anew")
			if c.Was.UID != "" {
				b.WriteString("; was " + c.Was.UID)
			}
			b.WriteByte(')')
		}
		b.WriteByte('\n')
		if n.UID != "" {
			shown = append(shown, n)
		}
		return !n.Traits.Select
	})
	if left > 0 {
		fmt.Fprintf(&b, "+  … %d more in it\n", left)
	}
	return b.String(), shown
}

// difference says what was different before.
func (c Change) difference() string {
	var was []string
	if c.Was.Role != c.Node.Role {
		was = append(was, c.Was.Role)
	}
	if c.Was.Name != c.Node.Name {
		was = append(was, tree.Quote(tree.Cut(c.Was.Name, 60)))
	}
	if c.Was.Value != c.Node.Value {
		was = append(was, "value="+tree.Quote(tree.Cut(c.Was.Value, 60)))
	}
	for _, s := range c.Was.States {
		if !slices.Contains(c.Node.States, s) {
			was = append(was, s)
		}
	}
	for _, s := range c.Node.States {
		if !slices.Contains(c.Was.States, s) {
			was = append(was, "not "+s)
		}
	}
	if c.Was.URL != c.Node.URL {
		was = append(was, tree.Cut(c.Was.URL, maxURL))
	}
	if len(was) == 0 {
		return ""
	}
	return " (was " + strings.Join(was, ", ") + ")"
}
