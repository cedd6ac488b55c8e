// Package wire holds the connection of one MCP client, whatever transport carries it: the client's requests that are
// not answered yet, the messages to write to it, its pending notifications, and the requests that the hub sends to
// it. Sessions over stdio and over HTTP read and write through a [Conn].
//
// # What lives here
//
//   - [Conn] and [Request]: requests in flight, their answers, parts and end (conn.go).
//   - The queue of messages and its writer, and log messages (queue.go).
//   - Pending notifications: list_changed and updates of resources, and the answers that must be sent before
//     list_changed (notifications.go).
//   - Requests of pages that are passed on to the client (asks.go), and work that is carried over several requests of
//     protocol 2026-07-28 because of them ([Rounds]).
//   - Over HTTP, answers on responses of their own (direct.go), and resuming such a response after its connection
//     broke (resume.go).
//   - Progress notifications of a request ([Progress]), and its time limit ([Clock]).
//
// # Promises
//
//   - Every request is answered exactly once, unless its client cancels it.
//   - Results come first: list_changed of tools waits for the answers of calls on the pages whose tools changed, but
//     no longer than [ResultFirst].
//   - A change is announced after the client is initialized, once, and not at all if the client has read the new list
//     meanwhile.
//   - A client that doesn't read holds up nobody else. At most [MaxConcurrent] answers and one notification of each
//     kind are kept for it; after that its input is no longer read.
//   - What is kept for a client that may come back is bounded in time, number and bytes.
//
// A Conn has one lock, because the package promises in which order answers and notifications are sent. Nothing blocks
// under the lock. The package knows neither tools nor catalogs: versions of lists are only numbers to it.
package wire
