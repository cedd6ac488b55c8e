// Package mcphttp carries MCP over HTTP ("streamable HTTP"), for any number of
// clients on one listener ([Serve]). What answers them is a [Hub], or several of which the
// client's token says which one ([ServeEach], with a [NewHandler] for each).
//
// # What lives here
//
//   - the listener, and whom a request is for by its token (front.go);
//   - who may speak to the hub at all (guard.go), and what those are answered who watch it
//     (watch.go);
//   - one message by POST, answered as JSON or as an event stream (post.go, sse.go);
//   - a session's event stream by GET, and its end by DELETE (get.go);
//   - sessions, from initialize until they end or are not used any more (sessions.go);
//   - requests of protocol 2026-07-28, which has no sessions (sessionless.go).
//
// # Promises
//
//   - Without a bearer token nobody is served beyond this computer. A web page that
//     the user visits is not served unless its origin is allowed: Host and Origin are
//     checked before anything is read.
//   - A call of a session goes on when its connection breaks, and its client can come
//     back for what it missed. A session in which a call runs is in use.
//   - Connections, sessions, bodies and headers are bounded in number, size and time.
//
// The order of answers and notifications is the client's connection's, see package
// wire.
package mcphttp
