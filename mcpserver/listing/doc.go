// Package listing makes the results of list_webmcp_tools and find_webmcp_tools, within a number of tokens.
//
// # What lives here
//
//   - [List]: the open pages with their tools, as a [Request] asks for them. Without a [Detail] it shows as much as
//     fits, at least the number of tools of each tab. With a Detail it shows one part at a time, and a cursor for the
//     rest. An [Answer] says which tools it shows, because a client knows a tool's name from what it has read.
//   - [Finder]: the index of all tools, which each search updates (finder.go), and the tools that clients used last
//     (used.go).
//   - [Finder.Answer]: what a search finds (ask.go), and how much the answer shows of it (answer.go).
//
// # Promises
//
//   - An answer with a limit is never longer than the limit, by [tokencount.Estimate], except that each part shows at
//     least one tool, so that a reader gets to the end.
//   - A search finds what is in the catalog that is current when the search begins, or says that pages change too
//     fast for that. The search ends with its context. Only searches build the index, so it takes no time while nobody
//     searches.
//   - The owner of the catalog never waits.
//
// List is pure. Any goroutine may use a [Finder].
package listing
