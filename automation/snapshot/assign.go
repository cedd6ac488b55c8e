package snapshot

import "webmcphub/automation/snapshot/tree"

// withUID are the containers that get a uid though nobody acts on them: they can be
// looked into or captured.
var withUID = tree.Set("table", "grid", "treegrid", "tree", "form", "dialog", "alertdialog", "iframe", "navigation",
	"main", "search", "menu", "tabpanel", "listbox")

// assign gives uids to what can be acted on, and to the containers that one asks for.
func assign(t *tree.Tree, table *Table, verbose bool) {
	t.Root.Walk(0, func(n *tree.Node, _ int) bool {
		if n.Traits.Actable || n.Traits.Reached || withUID[n.Role] || verbose && n.Role != "text" {
			n.UID = table.Assign(n.Key, label(n), n.Traits.ByText)
		}
		return !n.Traits.Select || verbose
	})
}

func label(n *tree.Node) Label { return Label{n.Role, n.Called} }
