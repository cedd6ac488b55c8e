package replica

import (
	"strings"

	"webmcphub/registry"
)

// Named is the name by which gateways know a page or a browser of a node: NODE/ID. A node's only
// browser, where it has no name, goes by the node's.
func Named[ID ~string](node string, id ID) ID {
	if id == "" {
		return ID(node)
	}
	return ID(node) + "/" + id
}

// Own takes apart what [Named] gives.
func Own[ID ~string](named ID) (node string, id ID) {
	before, after, _ := strings.Cut(string(named), "/")
	return before, ID(after)
}

// NodeOf is the node that has a page.
func NodeOf(page registry.PageID) string {
	node, _ := Own(page)
	return node
}
