package gateway

import (
	"context"
	"errors"

	"webmcphub/cluster/api"
	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// Nodes implements [Pages].
func (c caller) Nodes() Nodes { return Nodes{c.tenantServer} }

// ShowRequest returns the node of a page that the tenant sees, and the request to watch the page, without the screen's
// name.
func (n Nodes) ShowRequest(page registry.PageID) (node string, w *api.ShowRequest, err error) {
	tab := n.tenant.server.Catalog().Tab(page)
	if tab == nil {
		return "", nil, errors.New("the tab is closed, or its browser is no longer leased")
	}
	w = &api.ShowRequest{Browser: &api.VisibleBrowser{}}
	node, w.Page = pages.Own(string(page))
	_, w.Browser.Browser = pages.Own(tab.Browser)
	if n.tenant.leasing {
		w.Browser.Life = caller{n.tenant}.livesOf(node, []string{w.Browser.Browser})[w.Browser.Browser]
	}
	if port, hosts := n.tenant.options.Registry.Origins.Own(); len(hosts) > 0 {
		w.Own = &api.OwnPage{Port: port, Hosts: hosts}
	}
	return node, w, nil
}

// Screen returns a node's service for pictures of tabs. Its streams last as long as somebody watches, and don't count
// as calls. Its errors may be a [NodeLost].
func (n Nodes) Screen(node string) api.ScreenClient {
	return api.NewScreenClient(nodeConn{n.tenant.Gateway, node, false})
}

// Await waits until wanted returns true for the tenant's catalog, or until ctx ends.
func (n Nodes) Await(ctx context.Context, wanted func(*registry.Catalog) bool) {
	n.tenant.server.Await(ctx, wanted)
}
