// Package registry is the pure core of WebMCP Hub: which page tools exist,
// what they are called as MCP tools, and when clients are told.
//
// # What lives here
//
//   - [State] and [State.Step]: events in ([PageOpened], [ToolsReported], …),
//     ordered effects out ([Serve], [NotifyListChanged], …);
//   - [Catalog]: the immutable set of what pages offer: tools ([HubTool]), and
//     resources, templates and prompts ([offer.Offer]);
//   - [Resolve], which finds what a client means by a name, and says what became of
//     what is gone;
//   - which tab the user looks at ([PageShown], [UserSwitched]), and which pages
//     the hub is not attached to ([NotConnected]);
//   - by what two catalogs differ ([Registrations]).
//
// What one client has chosen to see of a catalog is registry/focus. How calls end
// without a word from their tool is registry/endings. What is made of one thing that a
// page offers, without knowing what else there is, is registry/offer. The tools of sites
// rather than tabs, with MCP-B's names, are registry/sites.
//
// Everything that a page says passes through registry/sanitize before an agent
// sees it.
//
// # Promises
//
// Names are valid and unique, whatever pages do. Equal end states give equal
// catalogs, whatever the order of events. A change that ends where it began
// gives no [NotifyListChanged]. One bad tool is refused by itself ([Refuse])
// and hides no other. After [PageClosed] nothing of that page is published.
//
// # Concurrency
//
// There is none: no goroutine, clock, context or logger. A [State] belongs to
// one goroutine (the registry actor). Catalogs and hub tools are immutable
// once returned and may be read from any goroutine.
//
// It imports the standard library and its own leaves only.
package registry
