// Package extlink is the hub's end of the WebSocket that the browser's
// extension opens: who may connect ([Guard]), what the messages are and whether
// they have their shape ([Decode], [Encode]), and one connection ([Conn]).
//
// A connection is made of a [Link]: a [Wire], which carries bytes, and a [Dialect],
// which makes a [Message] of what the peer says and tells it an [Order]. The
// extension's own dialect is [Native]; package mcpbhub has that of MCP-B proxies.
// So the rest of the hub knows one kind of peer.
//
// # What is promised
//
//   - Only extensions with an allowed id, on this computer, that prove that they
//     know the pairing token get through, and the hub proves it to them first. The
//     token itself is never said ([Peer] has the exception). Web pages get 403.
//   - Who has yet to prove itself is bounded in number, time and bytes.
//   - What is malformed, unknown or too large is logged, at a bounded rate, and
//     ignored; the connection goes on. One tool of the wrong shape is left out by
//     itself.
//   - A connection that says nothing for [Silence] is closed, unless its peer
//     may be silent.
//   - A port that is taken is waited for ([Await]).
//   - Nothing grows without bound: reading stops while [MaxUnhandled] bytes of
//     messages are unhandled, and a peer that stops reading is closed.
//
// # What may be missing
//
// Peers that don't know these leave them out or pass over them:
//
//   - connect says introspect: true if the extension is to make tools of pages
//     that have none, until the connection ends or another connect says otherwise.
//   - connect says legacyModelContext if documents are to have navigator.modelContext,
//     too, WebMCP's former name, and in which; as long as introspect.
//   - connect says origins, the rules that say in which documents the extension's
//     scripts may be at work; until another connect comes, also without a connection.
//   - A browser has an instance, and fixed if it opens, focuses and closes no tabs;
//     a tab a doc and active; a tool title, outputSchema,
//     annotations, frameId, frameUrl, origin, doc and, if the extension itself reads or makes it,
//     a runtime ("form", "dom"). toolsChanged and tabFocused have the main document's
//     origin, too. Origins are the browser's word, "null" where they are opaque.
//   - openTab, focusTab and closeTab carry a requestId, which orderResult answers.
//   - callTool names the frameId and doc, and timeoutMs, after which the extension
//     ends the call with an error; cancelTool ends it before, without an answer.
//     toolProgress passes on the params of a page's progress notifications, which
//     somebody wants if _meta of callTool has a progressToken; callTool may have
//     MCP-B's extensions, too.
//   - A browser says automation if its extension may debug tabs: debuggerAttach,
//     debuggerCommand and debuggerDetach are for those only.
//   - pageRequest is what a page asks of the agent: pageAnswer answers it, and
//     cancelPageRequest says that nobody waits any more. Of today's peers only MCP-B's
//     proxies ask.
//
// The package does not know what the messages mean for tabs and tools: actors do.
//
// # Concurrency
//
// A [Conn] has one reading and one writing goroutine; both end with it. The inbox
// is called with one message at a time, by the reader or by whoever sends an
// order that the dialect answers itself; it must not wait, and must not send. All
// methods of Conn may be called from any goroutine. [Decode] and [Encode] are
// pure.
package extlink
