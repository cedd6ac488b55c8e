// Package results makes results of tools fit into an agent's context, and keeps what was cut for reading it in pages.
//
// # What lives here
//
//   - [Fit] cuts a CallToolResult to a number of tokens, and [Shares] divides that number among several; pure;
//   - [Text] and [JSON] cut a text at a line, and JSON at its lists (text.go, json.go);
//   - [FitImages] scales images down to what model APIs take, in bounded memory. An image that would take too much memory
//     is replaced by a text that says so;
//   - [SaysError] reads whether a result is one of a failed call;
//   - [Store] keeps whole results for the sessions that they were sent to (store.go), and gives them in pages (keep.go).
//
// # Promises
//
//   - JSON stays JSON: its lists are shortened, and end with how much is missing.
//   - structuredContent goes on satisfying its schema: if it can't be shortened so, it stays whole. Audio and other binary
//     contents stay as they are.
//   - What a Store keeps is bounded in all and for each session; the oldest goes first. No session reads what another one
//     was sent, and no name can be guessed.
package results
