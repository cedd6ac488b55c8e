// Package cdp has a tab's link over the debugging port.
//
// A [Link] attaches to its page and detaches from it. It knows the page's frames and their documents, the tools that
// Chrome announces, and those of the page's own MCP server, and it carries calls to both. It sends no command that
// concerns another page. The owner of the connection to Chrome tells the link about targets. The files:
//
//	link.go        messages find their handlers
//	session.go     attaching to the page, letting go of it, its end
//	setup.go       preparing a session before its first script runs
//	documents.go   documents and frames come and go
//	notloaded.go   documents that did not load
//	native.go      tools by the CDP WebMCP domain; toolset.go keeps them sorted
//	schemas.go     schemas that its events lack
//	worlds.go      the bridge's place in each document, and what it carries
//	server.go      a document's MCP server; servercalls.go calls its tools
//	report.go      what there is to tell the registry
//	calls.go       calls
//	early.go       answers that come before their call has its name
//	execute.go     calls with arguments that WebMCP.invokeTool refuses
//	navigating.go  calls whose page navigates under them
//	popups.go      calls of forms whose result is shown in another tab
//	dialogs.go     dialogs that the page opens
//	stuck.go       calls that block their page
//
// The owner of the connection uses [New] with a [Shared], [Attaching] and [LetGo] for sessions, and [TabOpened] for
// popups. The hub uses [FindDialog], [LogLevelSet] and [WatchFront].
//
// # MCP servers of pages
//
// A frame's document has up to two servers, its [PageServers]: the page's own (@mcp-b/global), and the hub's adapter,
// which is a server for tools that can be reached in no other way. The link carries their messages, and gives each a
// [ServerHome].
//
// # Documents
//
// The hub knows a page's content only within a document. Runtime.executionContextsCleared ends a document, even one
// that enters the back-forward cache, and all its tools go. The link reports nothing of the next document until
// Page.frameNavigated gives the document's address, because names of tools contain it. A call during which the page
// asked for a navigation may be answered after the next document has loaded, as calls of forms are (navigating.go).
//
// Chrome doesn't announce the tools of iframes in the page's own process that existed before the hub attached, or that
// came back from the cache. The link reads them by getTools in the hub's isolated world.
//
// # Concurrency
//
// A Link and its PageServers belong to their [tab.Tab], in whose turn their methods are called. A goroutine that talks to
// a server sends its result as a [ServerMessage]. If the document has another server by then, or none, the message is
// dropped.
package cdp
