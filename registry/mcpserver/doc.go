// Package mcpserver is the hub's MCP side: it applies the registry's effects
// to the MCP server and talks to clients over stdio and HTTP. It is the only
// importer of mcp-go's server.
//
// # What lives here
//
//   - [Server]: the current catalog and the tools of mcp-go's server, kept up
//     to date by [Server.Apply];
//   - [Server.ServeStdio]: one client's session, with a reader, one writer and
//     a goroutine for each request;
//   - [Server.ServeStreamableHTTP]: any number of clients, with a session each or,
//     by protocol 2026-07-28, without one (http*.go);
//   - [Caller], [PageServers]: the ways to the pages, implemented elsewhere;
//   - what pages' own MCP servers offer besides tools (offers*.go), who watches
//     their resources (subscribe.go), what they log (logging.go), and
//     [Server.PageRequest], which passes on what they ask of the agent (asking.go);
//   - two tools of our own, list_webmcp_tools and call_webmcp_tool, for clients
//     that ignore notifications/tools/list_changed;
//   - tools of a site (routed.go): asking the tab that is chosen, opening one,
//     and turning to another one that was closed;
//   - [View]: what one client sees of the hub, which may differ from process to
//     process that share it; and what each client has read (history.go), by which
//     the names that it calls are understood;
//   - when the browser is asked for: by a call that needs it (browser.go), or by a
//     client that has stayed (stay.go);
//   - [CallRecord], what an audit is told of each call;
//   - the tab tools, and connect_webmcp and disconnect_webmcp, which go to the
//     [Browser]. What is connected is so for all clients; a focus, and the
//     lease on a tab that goes with it, is one client's.
//
// The session does the wire itself. tools/list and tools/call are answered
// from the catalog, everything else by mcp-go's HandleMessage. The stock stdio
// server has one session for the whole process, five workers, and drops
// notifications when a queue is full.
//
// # Promises
//
//   - Every request is answered exactly once, unless its client cancels it.
//     One slow call delays no other request.
//   - A call of a session over HTTP goes on when its connection breaks, and its
//     client can come back for what it missed (http_resume.go).
//   - A request that needs the browser waits for it, for a while (browser.go).
//   - tools/list is the same bytes for the same catalog, sorted by name; our
//     own tools sort first, so that a client's prompt cache keeps them.
//   - A call is refused if its name has come to mean another page's tool since
//     the client read the list ([registry.Resolve]).
//   - notifications/tools/list_changed is sent after the new list is readable,
//     never before the client is initialized, never twice for one change, and
//     not at all if the client has read the new list meanwhile.
//   - The result first: while a call runs on a page whose tools changed, the
//     notification waits for the call's answer, but no longer than [ResultFirst].
//   - A client that doesn't read stops nobody else. It holds at most
//     [wire.MaxConcurrent] answers and one notification of each kind; after that
//     its input is not read on.
//   - list_changed of resources and of prompts is sent to clients whose own list
//     of that kind changed; notifications/resources/updated to those that watch.
//   - A client is asked only what it declared that it answers, and only by a page
//     that carries out its call, unless Options say otherwise; at most 8 things at
//     a time.
//   - Bad input gets a JSON-RPC error and serving goes on. Memory for a line is
//     bounded by Options.MaxLine.
//
// # Concurrency
//
// [Server.Apply] belongs to one goroutine, the registry actor. It never blocks
// on a client. Anything else may be called from any goroutine. A session's
// state that several goroutines share lives in its outbox, under one lock
// that is never held while anything blocks.
package mcpserver
