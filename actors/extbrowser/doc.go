// Package extbrowser has the connections of browsers with the WebMCP Hub extension, and of MCP-B proxies, each of
// which appears as a browser with one tab.
//
// Its one [Actor] greets each connection, knows the tabs of each browser, passes messages about one tab to the tab's
// actor, and makes extensions carry out what callers ask of tabs. Package supervisor has what it has in common with
// the actor of Chrome on a debugging port.
//
// A [Link] is a tab's link by its browser's extension. The extension reports whole lists, never differences, and
// names the document to which they belong; what belongs to an older document is dropped. A Link knows the documents,
// the frames and their tools as the extension reports them, the calls that it carries, and what the page asks of the
// agent. It has no session: the hub is attached to a page if it shows what the extension reports.
//
// A Link belongs to its [tab.Tab], in whose turn its methods are called. The goroutines that carry out the page's
// requests come back as messages.
package extbrowser
