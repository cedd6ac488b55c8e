// Package focus implements focus mode: what one client has chosen to see of the catalogs that the registry serves.
//
// # What lives here
//
//   - [Focus] and [Focus.Step]: it takes events ([Connect], [FocusTab], [CatalogChanged], …) and returns whether the
//     client's list of tools has changed;
//   - [View]: what the client is shown at one moment, including its [State];
//   - [BareTools] and [ResolveBare]: a tab's tools under their pages' own names, and which tool a client means by such
//     a name;
//   - the core tools, which choose the tab that the agent works in: their definitions ([CoreTools]), results
//     ([ListTabsResult], …) and refusals ([RefuseCoreTool], [FindTab]).
//
// # What does not
//
// Package registry knows which pages and tools there are, what a name may still mean, and what became of a tool.
// Package mcpserver/calls carries the core tools out.
//
// # Promises
//
// The hub notifies the client exactly when what it sees has changed. The focus never moves by itself, and a name that
// the client knows from one tab never reaches another tab's tool. No page's tool has the name of one of the hub's own.
//
// A [Focus] belongs to one goroutine at a time. Views and tools are immutable and may be read from any goroutine. The
// package imports only the standard library, registry and the packages below it.
package focus
