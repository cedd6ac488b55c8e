// Package bridge has the scripts that the hub puts into pages over CDP, and the
// commands that put them there: the bridge to MCP servers of pages, the adapter
// for pages that have tools and no server (adapter.go), the word that a tab came
// to the front (front.go), WebMCP's older name (legacy.go), and the guard that
// keeps all of them out of origins that the rules don't permit (guard.go).
//
// The package makes parameters and decodes payloads. It sends nothing itself, and
// all of its functions may be called from any goroutine.
//
// # The bridge
//
// The bridge is a small script in an isolated world of every frame. It carries JSON between the page-side MCP server of
// that frame (window.postMessage, as @mcp-b/global speaks it) and a CDP binding, and knows nothing of MCP.
//
// # From the page: Runtime.bindingCalled
//
// name is [Binding], executionContextId is the isolated context *of the frame whose server spoke*, payload is one
// of exactly three texts, see [Decode]:
//
//	{"t":"mcp","p":PAYLOAD}              PAYLOAD: a JSON object (JSON-RPC) or string ("mcp-server-ready", "mcp-server-stopped")
//	{"t":"dom","p":PAYLOAD}              the same, but from the frame's adapter: see adapter.go
//	{"t":"oversize","n":UNITS,"id":ID}   a message of UNITS UTF-16 units was dropped; "id" only if it was a short string or an integer
//
// # To the page
//
// [Send] and [CheckReady], called in that same context with [Call].
//
// # Frames
//
// A server in a frame hears only its parent window and answers only to it. The worlds of one name are one world in all
// frames of a renderer (measured, Chromium 156), so the bridges of parent and child see each other: the parent's hears
// the answer, looks at who sent it, and hands it to the child's bridge, which calls its own binding; the child's bridge
// has the parent's post for it. The hub need not know: each frame's context speaks for that frame, at any depth. Only
// same-origin parents and children are linked; the browser itself refuses the rest, also within one process. Nothing is shared with the page: its scripts run in another world.
//
// # Permission
//
// Nothing is carried to or from a document that may not have tools: an iframe of another origin without allow="tools", a sandboxed
// one, or one that a Permissions-Policy header keeps them from. Where Chrome's own WebMCP is off, its policy isn't known, and
// only frames whose parents all have their origin are served, as by the adapter.
//
// # Trust
//
// Same window, same origin, trusted events only. Scripts of the page itself can still forge what its server says and
// read what it is asked (that is the same window): treat every payload as the page's own words.
package bridge
