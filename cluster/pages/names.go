package pages

import (
	"hash/fnv"
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

// MaxNumber is more than the number of any page: they have nine digits at most.
const MaxNumber = 1_000_000_000

// Number is the number of a page, by the name that gateways know it by, unless another page of the gateway
// has that: it follows from the name alone.
func Number(page registry.PageID) registry.TabID {
	h := fnv.New64a()
	_, _ = h.Write([]byte(page)) // it can't fail
	return registry.TabID(h.Sum64()%(MaxNumber-1)) + 1
}
