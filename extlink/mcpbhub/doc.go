// Package mcpbhub is the hub's side of MCP-B's tab-hub transport: the JSON-RPC 2.0 messages browser/registerTools,
// browser/updateTools and browser/executeTool.
//
// # What lives here
//
// [Translate] makes an [extlink.Link] of a proxy's connection. To the hub, a proxy is a browser with an extension
// and one tab. So its pages are pages like all others, and no other package knows MCP-B's messages.
//
// # What is promised
//
//   - Registering the same again changes nothing. Registering another address of the same origin is a new document.
//     Another origin is refused: a connection belongs to the first origin that it names. A proxy whose extensions name
//     an instance (see [Translate]) replaces its earlier connection for that origin.
//   - If a tool has no name, or no inputSchema that is an object, only that tool is left out. The log says so, and so
//     does the answer ("refused"), if the proxy asked for one.
//   - Malformed messages are logged and ignored; malformed requests are answered with a JSON-RPC error. Before
//     browser/registerTools there is no tab: requests that need one are answered with [TabNotFound].
//   - A proxy that answers a call with [TabNotFound] has lost its tab: its tools are removed, and the call may be sent
//     to another tab.
//   - The extensions of a registration are sent with each call, with those of the MCP client, which can't replace the
//     proxy's. So is the client's _meta, without MCP's reserved keys. If it has a progressToken, the token in the request
//     is the request's id, and notifications/progress with that token goes to the client.
//   - The _meta of a tool, and of a result beside its payload or in it, is passed on as the page's own. It has the
//     extensions of the tool or result, see [ExtensionsKey]. Clients don't see the extensions of a registration.
//   - Ignored messages are logged, at a limited rate.
//   - The page may send requests to the agent (requests.go). MCP-B has only a name for them so far,
//     browser/elicitConfirmation, so these requests are MCP's own. They go to the client like those of pages over CDP,
//     and get the client's answer or an error. The elicitation capability says that the hub passes them on, not that
//     the current client supports them.
//
// # Concurrency
//
// A link has no goroutine of its own: the connection's reader calls Hear, and any goroutine with an order calls Tell.
// A lock guards what the two share.
package mcpbhub
