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
//	worlds.go      the bridge's place in each document, and what it carries
//	servercalls.go calls of the tools of documents' MCP servers (package pageserver)
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
// sessions, [TabOpened] for popups; the hub needs [FindDialog], [LogLevelSet] and [WatchFront].
//
// All of a Link belongs to its [tab.Tab], in whose turn its methods are called.
package cdp
