// Package pagemcp is the MCP client of a page's own MCP server (@mcp-b/global and the like), over the bridge.
//
// # What lives here
//
// [Client]: the handshake, tools/list, tools/call and the rest of MCP (offers.go: resources, prompts and
// notifications; requests.go: the server's requests to the client) with one server, which is one document in one
// frame. [SendFunc] carries messages to the page, [Client.Deliver] takes those from it. Lists and calls have types of
// their own, so that schemas, annotations and results keep every byte of the page's.
//
// # Use
//
// Make a Client when a document says that it has a server ([IsReady]), deliver that payload and all later ones of the
// document to it, and Connect. Close it with the reason when the document goes away. After OnClosed make a new one at
// the next "mcp-server-ready". Keep the Client of a document in the back/forward cache: when Chrome restores the
// document, its server says "mcp-server-ready" again (the bridge asks), which counts as a change of the list.
//
// # Promises
//
// Deliver never blocks. Nothing waits for ever: Connect has its timeout, and every other method ends with its context,
// with Close, or with "mcp-server-stopped". A call of a tool needs no goroutine: the caller posts its request, once,
// and may cancel it. Sends of Connect and ListTools that fail are tried three times, a second apart. Pages are not
// trusted: ids are random, only the first answer to a pending id counts, garbage is ignored, sizes and counts are
// bounded. Schemas, names and texts are not checked here.
//
// # Concurrency
//
// All methods may be called from any goroutine, Deliver from one at a time. One mutex guards the table of pending
// requests; it is never held during a send or a callback. A Client without requests under way has no goroutine.
//
// # What the packages do (measured on Chromium 156)
//
// Both versions of @mcp-b/global that matter answer initialize alike (name "{host}-webmcp", version "1.0.0", protocol
// 2025-11-25 and 2025-06-18 echoed), answer tools/list and tools/call also without it, ignore batches and whatever is not
// JSON-RPC, do not paginate, send one list_changed for each registration and removal (1000 for 1000), check arguments and
// give validation errors as results with isError, and never answer a call that was cancelled. They differ in:
//
//	                              2.1.0                                  5.1.0
//	API                           navigator.modelContext only;           document.modelContext, the same object on navigator;
//	                              registerTool returns {unregister} at   registerTool returns a promise, unregister by
//	                              once; also unregisterTool,             AbortSignal; none of the others
//	                              provideContext, clearContext
//	1000 registrations            0.1 s                                  6 to 12 s
//	with native WebMCP            own polyfill, native sees nothing:     mirrored to native. Its own list then has the tools of
//	                              the bridge is the only way             all same-origin frames, one per name, and calling
//	                                                                     those of other frames fails: use native
//	insecure pages (http:)        works                                  does not start
//	names                         anything                               [A-Za-z0-9_.-]{1,128}
//	title of a tool               dropped (annotations.title stays)      kept
//	untrustedContentHint          kept                                   dropped
//	unknown tool                  result with isError                    JSON-RPC error -32602
//	root of the schema not object accepted as it is                      left out of the list
//	a string or a number          text                                   text and structuredContent {"result": value}
//	execute's second argument     {requestUserInteraction}               none
//	page unloads during a call    a result that says so: ErrInterrupted  silence
//	resources                     no templates: braces are part of   a URI with a brace is a template
//	                              the URI
//	subscribe, completion         no way to handle them              mcpServer.server.setRequestHandler
//	more capabilities             server.registerCapabilities        mcpServer.server.registerCapabilities; both before the
//	                                                                 script that starts the server has ended
//	frames: who may ask           any window                             the parent window only
//
// A schema that was not given is {"type":"object","properties":{}} in both, a missing root type is added. In a frame both
// use the channel "mcp-iframe" and answer to the parent. Restarting them says "mcp-server-stopped", then
// "mcp-server-ready". Their answers to initialize don't tell the versions apart: with native WebMCP on, leave out of a
// server's list what any frame of the tab has announced natively.
package pagemcp
