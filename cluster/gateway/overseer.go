package gateway

import (
	"context"

	"webmcphub/internal/runner"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// Overseer is who watches one tenant's server besides the tenant's clients: an audit log, the live page.
type Overseer struct {
	calls.Oversight // of what the tenant's clients do
	// Publishers are told what the tenant's MCP server is told, after it. They must not block.
	Publishers []runner.Publisher
	// Began is called with the tenant's server before it has clients, and Ended when the tenant is no
	// more; calls that go on then may end later. Both may be nil.
	Began func(*mcpserver.Server, Pages)
	Ended func()
}

// Pages are how an overseer has nodes attach to pages that a tenant sees, let go of them, and show them.
type Pages interface {
	ConnectPage(ctx context.Context, page registry.PageID) error
	DisconnectPage(ctx context.Context, page registry.PageID) error
	// Nodes are how it has them show pages.
	Nodes() Nodes
}
