// Package finding answers find_webmcp_tools: it keeps the index of all tools, and makes of
// what a search finds an answer of bounded length.
//
// # What lives here
//
//   - [Finder]: the index and what brings it up to date (finder.go), and which tools were
//     used of late (used.go);
//   - the tool's schemas, and what its arguments mean (arguments.go);
//   - [Finder.Answer]: what a client may be shown of what is found (ask.go), and in how many
//     words (answer.go).
//
// # Promises
//
//   - A search finds what the catalog has that is current when it begins, or says that pages
//     change too fast for that; it ends with its context, and lets others in as it reads. Nothing is read
//     before the first search, and afterwards the index follows in the background, at a
//     tenth of one processor at most, so that a storm of changes costs no more than that and
//     a search has little left to read.
//   - The catalog's owner is never kept waiting.
//
// Any goroutine may use a [Finder].
package finding
