package replica

import (
	"fmt"
	"strings"

	"webmcphub/registry"
)

// maxNode is how long a node's name may be, in bytes.
const maxNode = 32

// nodeError says what is wrong with a node's name; "" if nothing is.
func nodeError(name string) string {
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' }
	if name == "" || len(name) > maxNode || strings.ContainsFunc(name, func(r rune) bool { return !letter(r) }) {
		return fmt.Sprintf("a node's name has 1 to %d of the letters a to z, digits and hyphens", maxNode)
	}
	return ""
}

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
