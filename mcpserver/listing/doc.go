// Package listing makes the results of list_webmcp_tools and find_webmcp_tools, within a number of tokens.
//
// # What lives here
//
//   - [List]: the open pages with their tools, as a [Request] asks for them. Without a [Detail] it shows as much as fits,
//     at least how many tools each tab has; with a Detail it shows a part at a time, and a cursor for the rest. An
//     [Answer] says which tools it shows, because a client knows a tool's name from what it has read;
//   - [Finder]: the index of all tools, what brings it up to date (finder.go), and which tools were used last (used.go);
//   - [Finder.Answer]: what a search finds (ask.go), and in how many words (answer.go).
//
// # Promises
//
//   - An answer with a limit is never longer than that, by [tokens.Estimate], except that each part shows at least one
//     tool, so that a reader comes to the end.
//   - A search finds what the catalog has that is current when it begins, or says that pages change too fast for that. It
//     ends with its context. Nothing is indexed before the first search; afterwards the index follows in the background,
//     with a tenth of one processor at most.
//   - The catalog's owner never waits.
//
// List is pure. Any goroutine may use a [Finder].
package listing
