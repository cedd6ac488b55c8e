package pages

import (
	"hash/fnv"
	"strings"

	"webmcphub/registry"
)

// Named returns the name by which gateways know a page or a browser of a node: NODE/ID. If a node has only one browser
// and the browser has no name, gateways know it by the node's name.
func Named[ID ~string](node string, id ID) ID {
	if id == "" {
		return ID(node)
	}
	return ID(node) + "/" + id
}

// Own is the inverse of [Named].
func Own[ID ~string](named ID) (node string, id ID) {
	before, after, _ := strings.Cut(string(named), "/")
	return before, ID(after)
}

// NodeOf returns the node that has a page.
func NodeOf(page registry.PageID) string {
	node, _ := Own(page)
	return node
}

// NumberLimit is greater than every page's [Number], so a number has at most nine digits.
const NumberLimit = 1_000_000_000

// Number returns the number of a page. The number depends only on the page's name, so the page has it at all gateways,
// except at a gateway where another page already has it.
func Number(page registry.PageID) registry.TabID {
	h := fnv.New64a()
	_, _ = h.Write([]byte(page)) // it can't fail
	return registry.TabID(h.Sum64()%(NumberLimit-1)) + 1
}
