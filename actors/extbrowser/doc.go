// Package extbrowser keeps the connections of browsers that come by the WebMCP Hub extension, and of MCP-B proxies, each
// of which appears as a browser with one tab.
//
// Its one [Actor] greets each connection, knows the tabs of each browser, passes on what concerns one tab to the tab's
// actor, and has extensions carry out what callers ask of tabs. What it shares with the actor of Chrome on a debugging
// port is package supervisor.
//
// A [Link] is a tab's link by its browser's extension. The extension tells whole lists, never differences, and names
// documents; what belongs to an older document is dropped. A Link knows the documents, the frames and their tools as the
// extension tells of them, the calls that it carries, and what the page asks of the agent. It holds no session: to be
// attached is to show what the extension tells.
//
// All of a Link belongs to its [tab.Tab], in whose turn its methods are called; the goroutines of the page's requests
// come back as messages.
package extbrowser
