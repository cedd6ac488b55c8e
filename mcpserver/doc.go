// Package mcpserver is the hub's MCP server: it serves the registry's catalog to
// any number of clients, over stdio and over HTTP, and carries their requests to
// the pages.
//
// # What lives here
//
//   - [Server]: made current by [Server.Apply], which takes the registry's effects,
//     and served by [Server.ServeStdio], [Server.ServeGuest] and
//     [Server.ServeStreamableHTTP];
//   - sessions: what is done with each message of a client (session.go), reading and
//     writing over stdio (stdio.go), when a client has stayed long enough for the
//     browser to come (stay.go);
//   - what pages' own MCP servers offer besides tools (offers.go), who watches their
//     resources (subscribe.go), what they log (logging.go), and [Server.PageRequest],
//     which passes on what they ask of the agent (asking.go), in protocol 2026-07-28
//     over several requests (rounds.go);
//   - calls that take long, as tasks (tasks.go).
//
// # The packages below
//
//   - view: what one client sees, what it has read, its connection, and the tabs that it keeps to itself;
//   - wire: a client's connection: requests in flight, messages to write, what the client is asked;
//   - calls: tools/call, from the name to the result; its actions are what trust decides about;
//   - listing: list_webmcp_tools and find_webmcp_tools;
//   - batch: many calls that a client asks for at once;
//   - arguments: holds arguments against schemas; results: cuts and keeps what is too long for a client;
//   - mcphttp: the transport over HTTP;
//   - share, which stands above: one hub for several processes.
//
// # What mcp-go does
//
// github.com/mark3labs/mcp-go knows the protocol: its versions and which of them
// one speaks with a client, the capabilities and instructions in the answers to
// initialize and server/discover, ping, logging/setLevel, the acknowledgement of
// subscriptions/listen, the refusal of unknown methods and of malformed requests of
// protocol 2026-07-28, the checks of that protocol's HTTP headers, and the names of
// methods and headers. Such requests are given to its HandleMessage (peer.go), and
// its server is imported here alone.
//
// It holds none of the hub's tools, resources or prompts: lists of them and
// requests about them are answered here, from the catalog, and the transports are
// ours, too. mcp-go's server would put a list together anew for each request,
// announce each change by itself, before or after whichever answer, and drop
// notifications when a queue of 100 is full; its stdio server has one session for
// the whole process and five workers, so that five slow calls stop all others.
//
// # Promises
//
//   - Every request is answered exactly once, unless its client cancels it. One slow
//     call delays no other request.
//   - tools/list is the same bytes for the same catalog, sorted by name; our own tools
//     sort first, so that a client's prompt cache keeps them.
//   - A list's change is announced after the new list is readable, to clients whose
//     own list changed; notifications/resources/updated go to those that watch.
//   - A client is asked only what it declared that it answers, and only by a page
//     that carries out its call, unless Options say otherwise; at most 8 things at
//     a time.
//   - Bad input gets a JSON-RPC error and serving goes on. Memory for a message is
//     bounded by Options.MaxLine, over HTTP by HTTPOptions.MaxBody.
//
// Their own promises are in their doc.go: the order of messages and what a
// client that doesn't read can hold up in wire, names that have changed hands in
// calls, connections that break in mcphttp.
//
// # Concurrency
//
// [Server.Apply] belongs to one goroutine, the registry actor. It never blocks
// on a client. Anything else may be called from any goroutine. Locks are taken in
// this order, and nothing blocks under any of them: the sessions', a client's
// connection's, its view's.
package mcpserver
