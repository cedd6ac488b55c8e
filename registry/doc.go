// Package registry is the pure core of WebMCP Hub: which page tools exist, what they are called as MCP tools, and when
// clients are told.
//
// # What lives here
//
//   - [State] and [State.Step]: events in ([PageOpened], [ToolsReported], …), ordered effects out ([Serve],
//     [NotifyListChanged], …);
//   - [Catalog]: the immutable set of what pages offer: tools ([HubTool]), and resources, templates and prompts
//     ([offer.Offer]);
//   - [Resolve] finds what a client means by a name, and says what became of what is gone;
//   - which tab the user looks at ([PageInFront], [UserSwitched]), and to which pages the hub is not attached
//     ([NotConnected]);
//   - [BrowserStates]: the browsers of a hub that has several, their names and labels, and which are connected. A hub with
//     one browser gives it no name;
//   - the results of calls that end without a word from their tool ([ResultFor]): each says what happened, what that means
//     for the call, and what to do;
//   - [VisibleTools]: which of the hub's own tools a client is shown, so that no text names a tool that its reader can't call;
//   - by what two catalogs differ ([ToolChanges]).
//
// What one client sees of a catalog is registry/focus. One thing that a page offers, and the tools of sites, are
// registry/offer. Everything that a page says passes through registry/sanitize before an agent sees it.
//
// # Promises
//
// Names are valid and unique, whatever pages do. Equal end states give equal catalogs, whatever the order of events.
// A change that ends where it began gives no [NotifyListChanged]. A bad tool is refused ([ReportRefusal]) and hides
// no other. After [PageClosed] nothing of that page is published.
//
// # Concurrency
//
// There is no goroutine, clock, context or logger here. A [State] belongs to one goroutine (the registry actor).
// Catalogs, hub tools and browser states are immutable, and may be read from any goroutine.
package registry
