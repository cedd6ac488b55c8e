// Package plainhub is a hub without actors: one mutex and one map. It is what
// benchmarks hold the real one against, to know what its design costs.
//
//	h := plainhub.Start(wire, plainhub.NewServer(10*time.Millisecond))
//	h.ServeStdio(ctx, stdin, stdout)
//
// # What lives here
//
//   - [Hub]: the pages' side. The connection's reader carries out each event
//     itself, under the mutex;
//   - [Sink]: who is told of each tool, at once and one by one;
//   - [Server]: the least MCP server: initialize, ping, tools/list, tools/call,
//     and list_changed at the pace of the real one.
//
// # What it leaves out
//
// It shares the real hub's connection (cdpclient) and its names and schemas
// (registry), so that what differs is who owns the state. It knows main frames
// and Chrome's own WebMCP only, and promises little: no iframes, no page servers, no clashes
// of names, no reconnecting, no order between results and list_changed, no check
// of arguments; a call ends by its answer, its page's end or the session's. It does
// not diff: a tool that goes and comes back is two changes.
//
// # Concurrency
//
// All may be called from any goroutine. [Hub] and [Server] have a mutex each;
// Hub's is held while it calls its Sink.
package plainhub
