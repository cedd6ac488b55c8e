// Package mcphttp serves MCP over HTTP ("streamable HTTP") to any number of clients on one listener. [Serve] serves
// one [Hub]. [ServeEach] serves several, with a [NewHandler] for each; a client's token says which hub it reaches.
//
// # What lives here
//
//   - The listener, and which hub a request is for by its token (front.go).
//   - Who may use the hub at all (guard.go), and the answers to those who watch it (watch.go).
//   - One message by POST, answered as JSON or as an event stream (post.go, sse.go).
//   - A session's event stream by GET, and the session's end by DELETE (get.go).
//   - Sessions, from initialize until they end or are no longer used (sessions.go).
//   - Requests of protocol 2026-07-28, which has no sessions (sessionless.go).
//
// # Promises
//
//   - Clients on other computers need a bearer token. A web page that the user visits is not served unless its origin
//     is allowed: Host and Origin are checked before anything is read.
//   - A call of a session goes on when its connection breaks, and its client can come back for what it missed. A
//     session in which a call runs counts as used.
//   - Connections, sessions, bodies and headers are bounded in number, size and time.
//
// The client's connection decides the order of answers and notifications, see package wire.
package mcphttp
