// Package gateway offers the pages of many nodes' browsers to MCP clients.
//
//	client ── mcpserver.Server ── tenantServer ──┐                ┌── nodeSession ── node
//	             one per tenant                  ├── directory ───┼── nodeSession ── node
//	client ── mcpserver.Server ── tenantServer ──┘                └── nodeSession ── node
//
// # Who owns what
//
//   - A nodeSession (one goroutine for each node) owns the connection to its node, and the mirror of the node's
//     pages. A second goroutine reads the node's messages, one after the other.
//   - The directory (one goroutine) owns what all nodes offer together, the list of tenants, and the list of who
//     leases which browser.
//   - A tenantServer (one goroutine each) owns its tenant's registry.State. Only this goroutine changes what the
//     tenant's MCP server offers.
//   - A pending call belongs to the goroutine of its caller, which sends and receives the call's messages itself.
//
// The [TokenRouter] passes an HTTP client to its tenantServer. It has a route for each token.
//
// A call goes from the tenant's MCP server straight to the connection of the tool's node. It doesn't pass through a
// nodeSession, the directory or a tenantServer. Browser tools and the live page's pictures go straight to nodes, too,
// through the tenant's [Nodes]. An [Overseer] watches a tenant in addition to the tenant's clients: an audit log, or
// the live page.
//
// # Promises
//
//   - Every call ends: with its result, with its context, or with the loss of its node. In the last case the client
//     gets the node's name and the reason ([NodeLost]).
//   - A tenant's server knows only the browsers that the tenant may see. With [Options].Tenants these are the
//     browsers that the tenant has leased. Each tenant has its own names, lists, focus and audit log.
//   - A node can describe only its own pages and browsers, because the gateway begins their ids with the node's name.
//   - The loss of a node removes its pages, and nothing else. A node is lost after the gateway has received nothing
//     from it for 5 s. Parts of a large message count, too, so a slow connection doesn't make a node lost.
//   - The gateway hides pages that may be out of date. To know how old its pages are, it pings the node each second.
//     The node answers a ping only after it has sent the changes that it had when the ping came (cluster/pages).
//   - The memory that a node can make the gateway use is bounded: its pages by the limits of a pages.Mirror, results
//     that have only come in part by 128 MiB, and each message by 8 MiB (cluster/transport). The gateway reads the
//     next change of a node's pages only when the tenants have the previous change. It disconnects from a node that
//     sends more than it may, and doesn't dial that node again for 30 s. Other nodes stay connected.
//
// Any goroutine may call [Gateway]'s methods, unless their comments say otherwise. Nothing here blocks a nodeSession,
// the directory or a tenantServer.
package gateway
