// Package mcpbhub is the hub's side of MCP-B's tab-hub transport: JSON-RPC 2.0
// messages browser/registerTools, browser/updateTools and browser/executeTool.
//
// # What lives here
//
// [Translate] makes an [extlink.Link] of a proxy's connection, on which the
// proxy appears as a browser with an extension and one tab. So its pages are
// pages like all others, and nobody else knows of MCP-B's messages.
//
// # What is promised
//
//   - Registering the same again changes nothing; registering another address
//     of the same origin is a new document. Another origin is refused: the first that
//     a connection names is the one it speaks for. A proxy whose extensions name an
//     instance (see [Translate]) takes the place of its earlier connection for that origin.
//   - A tool without a name, or without an inputSchema that is an object, is left out by
//     itself; the log says so, and the answer, if the proxy asked for one ("refused").
//   - What is malformed is logged and ignored, or answered with a JSON-RPC error if it
//     is a request. Before browser/registerTools there is no tab: requests that
//     need one are answered with [TabNotFound].
//   - A proxy that answers a call with [TabNotFound] has lost its tab: its tools
//     go, and the call may be sent to another one.
//   - The extensions of a registration come back with each call, with those that
//     the MCP client sent, which can't stand for the proxy's own. So does the
//     client's _meta, without MCP's reserved keys; its progressToken, if there is
//     one, is the request's id, and notifications/progress with that goes to the
//     client.
//   - _meta of a tool, and of a result beside its payload or in it, is passed on as
//     the page's own; the extensions of a tool or result are in it, see
//     [ExtensionsKey]. Those of a registration no client sees.
//   - What is ignored is logged, at a bounded rate.
//   - The page may ask the agent (requests.go). MCP-B has no message for it yet but
//     a name, browser/elicitConfirmation, so these are MCP's own requests; they go
//     to the client as those of pages over CDP do, and are answered with its answer,
//     or an error. The elicitation capability says that the hub passes them on, not
//     that the client of the moment supports them.
//
// # Concurrency
//
// A link has no goroutine of its own: the connection's reader calls Hear, and
// whoever has an order calls Tell. What the two share is under a lock, which is
// held while messages that follow from it are delivered, so that they come in order.
package mcpbhub
