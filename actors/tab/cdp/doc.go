// Package cdp is a tab's link over the debugging port.
//
// A [Link] attaches to its page and lets go of it, knows the page's frames and their
// documents, the tools that Chrome announces and those of the page's own MCP server,
// and carries calls to both. It is told of targets by whoever keeps the connection to
// Chrome, and sends no command that concerns another page. One idea to a file:
//
//	link.go        messages find their handlers
//	session.go     attaching to the page, letting go of it, its end
//	setup.go       preparing a session before its first script runs
//	documents.go   documents and frames come and go
//	notloaded.go   documents that did not load
//	native.go      tools by the CDP WebMCP domain; toolset.go keeps them sorted
//	schemas.go     schemas that its events lack
//	server.go      tools by the page's own MCP server or the adapter, over the bridge
//	servercalls.go calls of their tools
//	listing.go     reading what a server has, one reading at a time
//	reread.go      servers that announce no changes
//	offers.go      resources and prompts of the page's own server
//	ask.go         what agents ask of it
//	report.go      what there is to tell the registry
//	calls.go       calls
//	early.go       answers that come before their call has its name
//	execute.go     calls with arguments that WebMCP.invokeTool refuses
//	navigating.go  calls whose page navigates under them
//	popups.go      calls of forms whose result is shown in another tab
//	dialogs.go     dialogs that the page opens
//	stuck.go       calls that block their page
//
// The keeper of the connection needs [New] with a [Shared], [Attaching] and [LetGo] for
// sessions, [TabOpened] for popups; the hub needs [Ask],
// [FindDialog], [LogLevelSet] and [WatchFront].
//
// All of a Link belongs to its [tab.Tab], in whose turn its methods are called. The
// goroutines that talk to the page's own server come back as messages with the server
// that they spoke to; what an earlier document's brings is dropped.
package cdp
