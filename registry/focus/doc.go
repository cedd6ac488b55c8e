// Package focus is focus mode: what one client has chosen to see of the catalogs
// that the registry serves.
//
// # What lives here
//
//   - [Focus] and [Focus.Step]: events in ([Connect], [FocusTab], [CatalogChanged],
//     …), and whether the client's list of tools is another one now;
//   - [View]: what the client is shown at one moment, its [State] among it;
//   - [BareTools] and [ResolveBare]: a tab's tools under their pages' own names, and
//     which tool a client means by such a name;
//   - the core tools, which choose the tab that the agent works in: their
//     definitions ([CoreTools]), results ([ListTabsResult], …) and refusals
//     ([RefuseCoreTool], [FindTab]).
//
// # What does not
//
// Which pages and tools there are, what a name may still mean, and what became of a
// tool: that is registry. Carrying out the core tools: that is
// mcpserver/calls.
//
// # Promises
//
// The client is told exactly when what it sees has changed. The focus goes nowhere
// by itself, and a name that the client knows of one tab never reaches another
// tab's tool. No page's tool has the name of one of the hub's own.
//
// A [Focus] belongs to one goroutine at a time. Views and tools are immutable and
// may be read from any goroutine. The package imports the standard library,
// registry and its leaves only.
package focus
