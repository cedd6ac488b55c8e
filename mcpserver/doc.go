// Package mcpserver is the hub's MCP server. It serves the registry's catalog to any number of clients, over stdio
// and over HTTP, and passes their requests on to the pages.
//
// # What lives here
//
//   - [Server]: [Server.Apply] carries out the registry's effects and so keeps the catalog current.
//     [Server.ServeStdio], [Server.ServeGuest], [Server.ServeStreamableHTTP] and [ServeEachOverHTTP] serve clients.
//   - Over HTTP: the listener, and which server a request is for by its token (http_listener.go); who may use the
//     server at all (http_guard.go); /metrics and health checks (http_watch.go); one message by POST
//     (http_post.go); a session's event stream by GET (http_get.go); sessions, from initialize until they end or are no
//     longer used (http_sessions.go); requests of protocol 2026-07-28, which has no sessions (http_sessionless.go).
//   - Sessions: what is done with each message of a client (session.go), reading and writing over stdio (stdio.go),
//     and how long a client must be connected before Chrome is started (launch_delay.go).
//   - What pages' own MCP servers offer besides tools (offers.go), which clients subscribe to their resources
//     (subscribe.go), and what they log (logging.go). [Server.PageRequest] passes on what they ask of the agent
//     (asking.go); in protocol 2026-07-28 that takes several requests (rounds.go).
//   - Calls that take long, as tasks (tasks.go).
//
// # The packages below
//
//   - view: what one client sees, what it has read, and the tabs that it keeps to itself.
//   - wire: a client's connection: requests in flight, messages to write, and questions to the client.
//   - calls: tools/call, from the name to the result. Trust decides about its actions.
//   - listing: list_webmcp_tools and find_webmcp_tools.
//   - batch: several calls that a client makes at once.
//   - arguments: checks arguments against schemas; results: cuts what is too long for a client, and keeps the whole.
//
// Package share, which is built on this one, lets several processes use one hub.
//
// # What mcp-go does
//
// github.com/mark3labs/mcp-go implements the protocol: its versions and the choice of one for a client, the
// capabilities and instructions in the answers to initialize and server/discover, ping, logging/setLevel, the refusal
// of unknown methods and of malformed requests of protocol 2026-07-28, the checks of that protocol's HTTP headers, and
// the names of methods and headers. Such requests are passed to its HandleMessage (delegate.go). Only this package
// imports its server.
//
// mcp-go holds none of the hub's tools, resources or prompts. The hub answers lists of them and requests about them
// itself, from the catalog, and has its own transports. mcp-go's server would build a list anew for each request,
// announce each change separately, in no order relative to answers, and drop notifications when a queue of 100 is full.
// Its stdio server has one session for the whole process and five workers, so five slow calls would stop all others.
// Its HTTP server ends a call when the call's connection breaks, and keeps what a client may resume without a bound. It
// answers a question to the client by running the tool's handler again, which a page's tool can't be.
//
// # Promises
//
//   - Every request is answered exactly once, unless its client cancels it. One slow call delays no other request.
//   - For one catalog and view, tools/list always returns the same bytes, sorted by name. The hub's own tools sort first, so that a
//     client's prompt cache keeps them.
//   - A list's change is announced after the new list can be read, and only to clients whose own list changed.
//     notifications/resources/updated is sent to the clients that have subscribed.
//   - The hub sends a client only requests that the client has declared it can answer, at most 8 at a time, and passes
//     on those of a page only while that page handles a call of the client. Options can relax this.
//   - Over HTTP, clients on other computers need a bearer token. A web page that the user visits is not served unless
//     its origin is allowed: Host and Origin are checked before anything is read. A call of a session goes on when its
//     connection breaks, and its client can come back for what it missed. A session in which a call runs counts as
//     used. Connections, sessions, bodies and headers are bounded in number, size and time.
//   - Bad input gets a JSON-RPC error, and serving goes on. Options.MaxLine, or HTTPOptions.MaxBody over HTTP, bounds
//     the memory for a message.
//
// The packages below state further promises in their doc.go: wire the order of messages and what a client that
// doesn't read can hold up, calls what happens when a name now belongs to another page.
//
// # Concurrency
//
// [Server.Apply] belongs to one goroutine, the registry actor. It never blocks on a client. Any goroutine may call
// everything else. Locks are taken in this order, and nothing blocks under any of them: the sessions' lock, the lock
// of a client's connection, the lock of its view.
package mcpserver
