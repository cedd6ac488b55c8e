// Package cdpclient speaks the Chrome DevTools Protocol (CDP): one connection to one browser, with many flat sessions
// on it.
//
// # What lives here
//
//   - [Conn], the multiplexer: [Conn.Post] and [Conn.Call] send commands; events and replies go to the [Inbox] of
//     their session;
//   - [Wire], a duplex stream of whole messages: [DialWebSocket] for a running Chrome, [NewPipeWire] for one that the
//     hub started;
//   - [BrowserWebSocketURL], [ActivePortURL]: where a running Chrome listens;
//   - small structs and method names for the events and commands that the hub uses (target.go, page.go, runtime.go,
//     webmcp.go).
//
// Package launch starts a Chrome, package grid gets one from a Selenium Grid, package tabwire carries CDP to a single
// tab, package bridge has the scripts in pages, package pagemcp is a client of pages' MCP servers, and package cdptest
// has a Chrome for tests.
//
// # Why the hub has its own multiplexer
//
// The session manager of mafredri/cdp wraps each command in Target.sendMessageToTarget, which Chrome is retiring, and
// waits for the reply under a lock; that limits all pages together to about 2,900 commands a second. Its rpcc.Conn
// can't carry flat sessions, loses events that come before their stream is opened, and orders events only among
// themselves, not with replies. So the hub uses mafredri/cdp to find endpoints (devtool) and for its generated
// protocol types, and this package does the routing. Only packages under cdpclient import it.
//
// # Promises
//
// Messages of one session arrive in wire order, replies among events. A Post with a tag gets exactly one [Reply],
// even if the session or the connection ends first. When code learns of a session's end, by detachedFromTarget or a
// refusal, the session has ended: the Conn sends nothing more, and pending replies fail next. Post never blocks.
// Messages that come before [Conn.Attach] are kept, up to a limit, and delivered first. Nothing here writes to stdout.
//
// # Concurrency
//
// All methods of Conn may be called from any goroutine, and from within an Inbox, except Call, which blocks. An Inbox
// is never called by two goroutines at once. It must not block, because all sessions wait for it.
package cdpclient
