package gateway

import (
	"slices"
	"strings"

	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// When a node leaves, its tools disappear from all lists at once, but clients learn that a moment
// later. Calls that use the old names are still carried out while the node is there.

// linger makes the tools of a node callable by their names for all tenants if the node leaves, or ends that.
func (h *directory) linger(node string, leaves bool) {
	for _, r := range h.tenants {
		r.linger(node, leaves)
	}
}

// linger must be called by the directory's goroutine.
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

// lingering returns the catalog with the tools of nodes that leave.
func (r *tenantServer) lingering(c *registry.Catalog) *registry.Catalog {
	if all := r.lingers.Load(); all != nil && len(*all) > 0 {
		return c.WithRetired(*all)
	}
	return c
}
