// Package gateway offers the pages of many nodes' browsers to MCP clients.
//
//	client ── mcpserver.Server ── room ──┐            ┌── talk ── node
//	             one a tenant            ├── house ───┼── talk ── node
//	client ── mcpserver.Server ── room ──┘            └── talk ── node
//
// # Who owns what
//
//   - A talk (one goroutine a node) owns the replica of what its node offers, and the requests
//     that are under way there.
//   - The house (one goroutine) owns what all nodes offer together, who the tenants are, and
//     which browser is whose.
//   - A room (one goroutine a tenant) owns that tenant's registry.State, and is the only writer to
//     its MCP server.
//
// HTTP clients come into a room by its [Doors], of which there is one for each token.
//
// A client's call goes from its MCP server to the talk of the tool's node, not by way of house
// and room.
//
// Browser tools, and the live page's pictures, reach nodes by a room's [Nodes], in the same way. Who
// watches a room besides its clients (an audit log, the live page) is its [Overseer].
//
// # What is promised
//
//   - Every request ends: by its reply, by its context, or by the loss of its node, whose name
//     and reason it is told.
//   - A tenant's room is told of nothing but the browsers that the tenant may see: with tenants
//     of their own ([Options].Tenants) those that it has leased. Names, lists, focus and audit
//     are each room's own.
//   - A node speaks for its own pages and browsers only: their ids here begin with its name.
//   - The loss of a node takes its pages, and nothing else.
//   - What a node can make the gateway hold is bounded in bytes: its pages by what a replica.Mirror keeps, and
//     64 MiB of what it said and nobody has dealt with yet, wherever that waits. A node above that is lost with
//     the reason, and isn't heeded for 30 s; others go on. What one message takes while it is read is bounded, too
//     (cluster/wire).
//
// [Gateway]'s methods may be called from any goroutine. Nothing here blocks a talk, the house or
// a room.
package gateway
