package main

import (
	"context"

	"webmcphub/cluster/automate"
	"webmcphub/cluster/gateway"
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/live"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// shown is the hub that a tenant's live page shows, if nodes can show tabs. It is a [live.Screener].
type shown struct {
	*livepage.Hub
	page   *live.Server
	nodes  gateway.Nodes
	called func(calls.Record) // records what the page's user did; may be nil
}

var _ live.Screener = shown{}

// screen is a node's tab that the live page shows.
type screen struct{ *automate.RemoteScreen }

func (s screen) Next(ctx context.Context) (live.Shown, error) {
	v, err := s.RemoteScreen.Next(ctx)
	return live.Shown{Picture: v.GetPicture(), Hidden: v.GetHidden(), Note: v.GetNote(), State: v.GetState(),
		Document: v.GetDocument()}, err
}

// Screen implements [live.Screener].
func (s shown) Screen(ctx context.Context, tab *registry.Tab) (live.Screen, error) {
	opened, err := automate.WatchScreen(ctx, s.nodes, tab.Page, livepage.Held(s.page, s.called, tab))
	if err != nil {
		return nil, err
	}
	return screen{opened}, nil
}
