package snapshot

import "webmcphub/automation/snapshot/tree"

// withUID are the container roles that get a uid although nobody acts on containers: a uid lets the agent look into
// them or capture them.
var withUID = tree.Set(`table grid treegrid tree form dialog alertdialog iframe navigation main search menu tabpanel
	listbox`)

// assign gives uids to nodes that can be acted on, and to containers of withUID.
func assign(t *tree.Tree, table *Table, verbose bool) {
	t.Root.Walk(0, func(n *tree.Node, _ int) bool {
		if n.Traits.Actable || n.Traits.Reached || withUID[n.Role] || verbose && n.Is.Element != "" {
			n.UID = table.Assign(n.Key, label(n), n.Traits.ByText)
		}
		return !n.Traits.Select || verbose
	})
}

func label(n *tree.Node) Label { return Label{n.Role, n.Called} }
