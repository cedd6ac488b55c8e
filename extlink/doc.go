// Package extlink is the hub's end of the WebSocket that the browser's extension opens. It decides who may connect
// ([Guard]), decodes and checks messages ([Decode], [Encode]), and runs a connection ([Conn]).
//
// A connection is made of a [Link]: a [Wire], which carries bytes, and a [Dialect], which decodes the peer's messages
// and encodes the hub's. The extension's own dialect is [ExtensionDialect]. Package mcpbhub has that of MCP-B proxies.
// So the rest of the hub knows only one kind of peer.
//
// # What is promised
//
//   - Only extensions with an allowed id, on this computer, that prove that they know the pairing token get through.
//     The hub proves that it knows the token first. The token itself is never sent ([Peer] has the exception). Web pages
//     get 403.
//   - Peers that have not proved themselves are limited in number, time and bytes.
//   - Malformed, unknown or too large messages are logged, at a limited rate, and ignored; the connection goes on. If
//     one tool is malformed, only that tool is left out.
//   - A connection that is silent for [Silence] is closed, unless its peer may be silent.
//   - If another program has the port, [Await] waits for it.
//   - Memory is limited: reading stops while [MaxUnhandled] bytes of messages are unhandled, and the connection of a
//     peer that stops reading is closed.
//
// # What may be missing
//
// Some peers don't know the following. They leave it out or ignore it:
//
//   - connect has introspect: true if the extension is to make tools for pages that have none, until the connection
//     ends or another connect has no introspect.
//   - connect has legacyModelContext if documents are to have navigator.modelContext, WebMCP's former name. It says
//     which documents, and applies as long as introspect.
//   - connect has origins, the rules for the documents in which the extension's scripts may work. They apply until
//     another connect comes, even without a connection.
//   - A browser has an instance, and fixed if it opens, focuses and closes no tabs; a tab has a doc and active; a tool
//     has title, outputSchema, annotations, frameId, frameUrl, origin, doc and, if the extension itself reads or makes
//     it, a runtime ("form", "dom"). toolsChanged and tabFocused have the main document's origin, too. The browser
//     reports the origins; opaque ones are "null".
//   - openTab, focusTab and closeTab carry a requestId, which orderResult answers.
//   - callTool has the frameId and doc, and timeoutMs, after which the extension ends the call with an error;
//     cancelTool ends it earlier, without an answer. toolProgress carries the params of a page's progress notifications;
//     the hub wants them if _meta of callTool has a progressToken. callTool may have MCP-B's extensions, too.
//   - A browser has automation if its extension may debug tabs: debuggerAttach, debuggerCommand and debuggerDetach
//     are only for those browsers.
//   - A browser has agentStatus if its popup shows and sets what the user lets agents do. The extension sends
//     setPaused and setPermission; the hub sends agentStatus, only to those browsers, with what is set. A hub that
//     sends no agentStatus doesn't know the other two.
//   - pageRequest is a request of a page to the agent. pageAnswer answers it, and cancelPageRequest says that nobody
//     waits any more. Of today's peers only MCP-B's proxies send it.
//
// The package does not know what the messages mean for tabs and tools: package actors does.
//
// # Concurrency
//
// A [Conn] has one reading and one writing goroutine; both end with it. The inbox is called with one message at a
// time, by the reader or by a goroutine that sends an order that the dialect answers itself. The inbox must not wait,
// and must not send. All methods of Conn may be called from any goroutine. [Decode] and [Encode] are pure.
package extlink
