// Package registry is the pure core of WebMCP Hub: which page tools exist, what they are called as MCP tools, and when
// the hub notifies clients.
//
// # What lives here
//
//   - [State] and [State.Step]: events in ([PageOpened], [ToolsReported], …), ordered effects out ([SetCatalog],
//     [NotifyListChanged], …);
//   - [Catalog]: the immutable set of what pages offer: tools ([HubTool]), and resources, templates and prompts
//     ([offer.Offer]);
//   - [Resolve] finds the tool that a client means by a name or, if it is gone, says why;
//   - which tab the user looks at ([PageInFront], [UserSwitched]), and which pages the hub isn't attached to
//     ([NotConnected]);
//   - [BrowserStates]: the browsers of a hub that has several, their names and labels, and which are connected. A hub with
//     one browser gives it no name;
//   - the results of calls that their tool never answered ([ResultFor]): each says what happened, what that means
//     for the call, and what to do;
//   - [VisibleTools]: which of the hub's own tools a client has, because texts name only those;
//   - [ToolChanges] lists the differences between two catalogs.
//
// Package focus decides which tab's tools a client in focus mode sees. Package offer has the single offers of pages,
// and the tools that belong to a site rather than to a tab. Everything that a page says passes through package
// sanitize before an agent sees it.
//
// # Promises
//
// Names are valid and unique, whatever pages do. A catalog depends only on the pages' final state, not on
// the order of events. If tools change and change back before the flush, nobody is notified. An invalid tool is refused
// alone ([ReportRefusal]); the page's other tools stay. After [PageClosed] nothing of that page is published.
//
// # Concurrency
//
// There is no goroutine, clock, context or logger here. A [State] belongs to one goroutine (the registry actor).
// Catalogs, hub tools and browser states are immutable, and may be read from any goroutine.
package registry
