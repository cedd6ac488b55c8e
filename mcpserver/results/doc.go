// Package results makes the results of tools fit into an agent's context, and keeps what it cut so that the client
// can read it in pages.
//
// # What lives here
//
//   - [Fit] cuts a CallToolResult to a number of tokens, and [Shares] divides that number among several parts. Both
//     are pure.
//   - [Text] cuts a text at the end of a line, and [JSON] shortens the lists in JSON (text.go, json.go).
//   - [FitImages] scales images down to the size that model APIs accept, in bounded memory. It replaces an image that
//     would take too much memory by a text that says so.
//   - [IsError] reports whether a result is that of a failed call.
//   - [Store] keeps whole results for the sessions to which they were sent (store.go), and returns them in pages
//     (keep.go).
//
// # Promises
//
//   - JSON stays JSON: its lists are shortened, and end with how much is missing.
//   - structuredContent still satisfies its schema. If it can't be shortened that way, it stays whole. Audio and
//     other binary content stays unchanged.
//   - What a Store keeps is bounded, in total and for each session; the oldest results are dropped first. No session
//     can read what was sent to another, and nobody can guess the name of a result.
package results
