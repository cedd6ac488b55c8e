package gateway

import (
	"slices"
	"strings"

	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// The tools of a node that leaves are in no list any more, but for a moment clients don't know
// that: what they call by the names that they know is still carried out, for as long as the node
// is there.

// linger has all tenants find the tools of a node that leaves by their names, or no longer.
func (h *directory) linger(node string, leaves bool) {
	for _, r := range h.tenants {
		r.linger(node, leaves)
	}
}

// linger is the directory's own goroutine's.
func (r *tenantServer) linger(node string, leaves bool) {
	var all []*registry.HubTool
	if was := r.lingers.Load(); was != nil {
		all = slices.DeleteFunc(slices.Clone(*was),
			func(t *registry.HubTool) bool { return pages.NodeOf(t.Route.Page) == node })
	}
	if leaves {
		for _, tab := range r.server.Catalog().Tabs() {
			if pages.NodeOf(tab.Page) == node {
				all = append(all, tab.Published()...)
			}
		}
		slices.SortFunc(all, func(a, b *registry.HubTool) int { return strings.Compare(a.Name, b.Name) })
	}
	r.lingers.Store(&all)
}

// lingering is a catalog with the tools of nodes that leave.
func (r *tenantServer) lingering(c *registry.Catalog) *registry.Catalog {
	if all := r.lingers.Load(); all != nil && len(*all) > 0 {
		return c.WithRetired(*all)
	}
	return c
}
