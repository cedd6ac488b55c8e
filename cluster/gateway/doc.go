// Package gateway offers the pages of many nodes' browsers to MCP clients.
//
//	client ── mcpserver.Server ── tenantServer ──┐                ┌── session ── node
//	             one per tenant                  ├── directory ───┼── session ── node
//	client ── mcpserver.Server ── tenantServer ──┘                └── session ── node
//
// # Who owns what
//
//   - A session (one goroutine a node) owns the connection to its node and the mirror of what the node's pages offer.
//     One more goroutine reads what the node tells, one message after the other.
//   - The directory (one goroutine) owns what all nodes offer together, who the tenants are, and
//     which browser is whose.
//   - A tenantServer (one goroutine each) owns its tenant's registry.State, and is the only writer to
//     its MCP server.
//   - A pending call belongs to the goroutine of its caller, which sends and receives itself.
//
// HTTP clients come to a tenantServer by its [TokenRouter], which has a route for each token.
//
// A client's call goes from its MCP server to the connection of the tool's node, not by way of session, directory
// and tenantServer.
//
// Browser tools, and the live page's pictures, reach nodes by a tenant's [Nodes], in the same way. Who
// watches a tenant besides its clients (an audit log, the live page) is its [Overseer].
//
// # What is promised
//
//   - Every call ends: by its result, by its context, or by the loss of its node, whose name
//     and reason it is told.
//   - A tenant's server is told of nothing but the browsers that the tenant may see: with tenants
//     of their own ([Options].Tenants) those that it has leased. Names, lists, focus and audit
//     are each tenant's own.
//   - A node speaks for its own pages and browsers only: their ids here begin with its name.
//   - The loss of a node takes its pages, and nothing else. A node of which nothing is heard for 5 s is lost. Bytes that
//     come are a sign of life, so a slow way isn't called dead. The gateway pings each second, and the node answers
//     after what it had to tell by then: so the gateway knows how old at most the pages are that it shows, and hides
//     them when they may be out of date (cluster/pages).
//   - What a node can make the gateway hold is bounded in bytes: its pages by what a pages.Mirror keeps, results that
//     have come in part by 128 MiB, and each message by 8 MiB (cluster/transport). What a node tells of its pages is
//     read when the tenants have what it told before. A node that tells more than it may is lost with the reason, and
//     isn't heeded for 30 s; others go on.
//
// [Gateway]'s methods may be called from any goroutine. Nothing here blocks a session, the directory or
// a tenant.
package gateway
