package gateway

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"

	"webmcphub/cluster/api"
	"webmcphub/cluster/pages"
	"webmcphub/registry"
)

// Nodes are the nodes, as whoever oversees the tenant reaches them.
func (c caller) Nodes() Nodes { return Nodes{c.tenantServer} }

// ShowRequest is the request to watch a page that the tenant sees, but for the screen's name, and the page's node.
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

// screened asks a node for something that has to do with a tab's picture. Those last as long as somebody looks, and
// are no calls. The error may be a [NodeLost].
func screened[R any](ctx context.Context, n Nodes, node string,
	do func(context.Context, api.ScreenClient) (R, error)) (R, error) {
	s, c, err := n.tenant.connected(node)
	if err != nil {
		return *new(R), err
	}
	r, err := do(ctx, c.screen)
	if err != nil && !errors.Is(err, io.EOF) {
		return r, s.failed(ctx, c, err)
	}
	return r, nil
}

// stream is one by which a node says once that something has begun, and then nothing until it is over.
func stream[R any](s grpc.ServerStreamingClient[R], err error, begun func()) (none struct{}, _ error) {
	if err == nil {
		_, err = s.Recv()
	}
	if err == nil {
		begun()
		_, err = s.Recv()
	}
	return none, err
}

// Show has a node show a tab until ctx ends, or it can't any more. begun is called when it can be looked at.
func (n Nodes) Show(ctx context.Context, node string, w *api.ShowRequest, begun func()) error {
	_, err := screened(ctx, n, node, func(ctx context.Context, c api.ScreenClient) (struct{}, error) {
		s, err := c.Show(ctx, w)
		return stream(s, err, begun)
	})
	return err
}

// Look waits for something new to see.
func (n Nodes) Look(ctx context.Context, node string, of *api.ScreenRef) (*api.ScreenView, error) {
	return screened(ctx, n, node, func(ctx context.Context, c api.ScreenClient) (*api.ScreenView, error) {
		return c.Look(ctx, of)
	})
}

// TakeOver has a tab be a person's until ctx ends, or it is theirs no longer. yours is called when it is.
func (n Nodes) TakeOver(ctx context.Context, node string, of *api.ScreenRef, yours func()) error {
	_, err := screened(ctx, n, node, func(ctx context.Context, c api.ScreenClient) (struct{}, error) {
		s, err := c.TakeOver(ctx, of)
		return stream(s, err, yours)
	})
	return err
}

// Drive does what a person does in a picture.
func (n Nodes) Drive(ctx context.Context, node string, d *api.DriveRequest) error {
	_, err := screened(ctx, n, node, func(ctx context.Context, c api.ScreenClient) (*api.DriveResponse, error) {
		return c.Drive(ctx, d)
	})
	return err
}

// Await waits until the tenant sees what is as wanted, or ctx ends.
func (n Nodes) Await(ctx context.Context, wanted func(*registry.Catalog) bool) {
	n.tenant.server.Await(ctx, wanted)
}
