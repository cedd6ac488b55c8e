// Package bridge has the scripts that the hub puts into pages over CDP, and the commands that put them there: the
// bridge to MCP servers of pages, the adapter for pages that have tools and no server (adapter.go), the script that
// reports when a tab comes to the front (front.go), WebMCP's older name (legacy.go), and the guard that keeps all
// scripts out of origins that the rules don't permit (guard.go).
//
// The package makes parameters and decodes payloads. It sends nothing itself. All of its functions may be called from
// any goroutine.
//
// # The bridge
//
// The bridge is a small script in an isolated world of every frame. It carries JSON between the page-side MCP server
// of that frame (window.postMessage, as @mcp-b/global uses it) and a CDP binding. Of MCP it knows only which answer
// belongs to which request.
//
// # From the page: Runtime.bindingCalled
//
// name is [Binding], executionContextId is the isolated context *of the frame whose server spoke*, and payload is one
// of exactly three texts, see [Decode]:
//
//	{"t":"mcp","p":PAYLOAD}              PAYLOAD: a JSON object (JSON-RPC) or string ("mcp-server-ready", "mcp-server-stopped")
//	{"t":"dom","p":PAYLOAD}              the same, but from the frame's adapter: see adapter.go
//	{"t":"oversize","n":UNITS,"id":ID}   a message of UNITS UTF-16 units was dropped; "id" only if it was a short string or an integer
//
// # To the page
//
// [Send], [Request] and [CheckReady], called in that same context with [Call]. The answer to a Request comes as that
// call's result, in one of these texts, which saves Chrome and the hub a message. The order of this result and the
// binding's messages is that in which the page sent them.
//
// # Frames
//
// A server in a frame accepts messages only from its parent window, and answers only that window. Isolated worlds of
// one name are a single world in all frames of a renderer (measured, Chromium 156), so the bridges of parent and child
// see each other. The parent's bridge receives the answer, checks its sender, and passes it to the child's bridge,
// which calls its own binding. In the other direction, the parent's bridge posts for the child's. The hub need not
// know this: each frame's context stands for that frame, at any depth. Only same-origin parents and children are
// linked; the browser refuses others, even within one process. Nothing is shared with the page, whose scripts run in
// another world.
//
// # Permission
//
// The bridge carries nothing to or from a document that may not have tools: an iframe of another origin without
// allow="tools", a sandboxed one, or one that a Permissions-Policy header excludes. Where Chrome's own WebMCP is off,
// its policy isn't known; then only frames whose parents all have their origin are served, as by the adapter.
//
// # Trust
//
// The bridge accepts only trusted events of the same window and origin. Scripts of the page itself can still forge the
// server's messages and read the requests to it, because they run in the same window. Treat every payload as the
// page's own words.
package bridge
