package gateway

import (
	"context"

	"webmcphub/internal/runner"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// Overseer watches one tenant's server in addition to the tenant's clients: an audit log, or the live page.
type Overseer struct {
	calls.Oversight // of what the tenant's clients do
	// Publishers get the same effects as the tenant's MCP server, after it. They must not block.
	Publishers []runner.Publisher
	// Began is called with the tenant's server before the server has clients. Ended is called when the tenant is
	// removed; calls that are still running may end later. Both may be nil.
	Began func(*mcpserver.Server, Pages)
	Ended func()
}

// Pages lets an overseer make nodes attach to pages that a tenant sees, detach from them, and show them.
type Pages interface {
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
	// Nodes returns the nodes that can show pages.
	Nodes() Nodes
}
