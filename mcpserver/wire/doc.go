// Package wire is the connection of one MCP client, whatever carries it: what it
// has asked and is yet to be answered, what is to be written to it, what it is
// owed, and what it is asked itself. Sessions over stdio and over HTTP read and
// write through a [Conn].
//
// # What lives here
//
//   - [Conn] and [Request]: requests in flight, their answers, their end (conn.go), and
//     the parts of one that asks for several things (parts.go);
//   - the queue of messages and its writer (queue.go);
//   - what the client is owed: list_changed and updates of resources (owed.go), and
//     the answers that go before (held.go);
//   - requests of pages that the client is asked (asks.go), and work that several
//     requests of protocol 2026-07-28 carry because of that ([Rounds]);
//   - log messages (logs.go);
//   - over HTTP, answers on responses of their own (direct.go), which a client can
//     come back for (resume.go);
//   - the notifications that tell how a request goes on ([Progress]), and its time
//     limit ([Clock]).
//
// # Promises
//
//   - Every request is answered exactly once, unless its client cancels it.
//   - The result first: list_changed of tools waits for the answers of calls on the
//     pages whose tools changed, but no longer than [ResultFirst].
//   - A change is announced after the client is initialized, once, and not at all if
//     the client has read the new list meanwhile.
//   - A client that doesn't read stops nobody else. It holds at most [MaxConcurrent]
//     answers and one notification of each kind; after that its input is not read on.
//   - What is kept for a client that may come back is bounded in time, number and
//     bytes.
//
// A Conn has one lock, because the order in which answers and notifications leave
// is a promise; nothing blocks under it. The package knows neither tools nor
// catalogs: versions of lists are numbers to it.
package wire
