// Package cdpclient speaks the Chrome DevTools Protocol (CDP): one connection
// to one browser, many flat sessions on it.
//
// # What lives here
//
//   - [Conn], the multiplexer: [Conn.Post] and [Conn.Call] send commands,
//     events and replies come back to the [Inbox] of their session;
//   - [Wire], a duplex stream of whole messages: [DialWebSocket] for a running
//     Chrome, [NewPipeWire] for one that the hub started;
//   - [BrowserWebSocketURL], [ActivePortURL]: where a running Chrome listens;
//   - small structs and method names for the events and commands that the hub
//     uses (target.go, page.go, runtime.go, webmcp.go).
//
// Starting a Chrome is package launch, the scripts in pages are package bridge,
// what is said to an MCP server of a page is package mcpb, and a Chrome for tests
// is package cdptest.
//
// # Why a multiplexer of our own
//
// The session manager of mafredri/cdp wraps each command in
// Target.sendMessageToTarget and waits for its reply under a lock, which stops
// at about 2,900 commands a second for all pages together and which Chrome is
// retiring; its rpcc.Conn cannot carry flat sessions, loses events that come
// before their stream is opened, and orders events only among themselves, not
// with replies. So mafredri/cdp is used for finding endpoints (devtool) and for
// its generated protocol types, and this package does the routing. Only packages
// under cdpclient import it.
//
// # Promises
//
// Messages of one session arrive in wire order, replies among events. A Post
// with a tag gets exactly one [Reply], also if the session or the connection
// ends first. Whoever hears that a session has ended, by detachedFromTarget or a
// refusal, finds it ended: nothing more is sent, and what is owed fails next. Post
// never blocks. Messages that come before [Conn.Attach] are
// kept (bounded) and delivered first. Nothing here writes to stdout.
//
// # Concurrency
//
// All methods of Conn may be called from any goroutine, also from within an
// Inbox, except Call, which blocks. An Inbox is never called by two goroutines
// at once; it must not block, because all sessions wait for it.
package cdpclient
