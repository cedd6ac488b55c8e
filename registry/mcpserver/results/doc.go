// Package results makes results of tools fit into an agent's context, and keeps what was cut
// for reading it in pages.
//
// # What lives here
//
//   - [Fit], which cuts a CallToolResult to a number of tokens, and [Shares], which divides
//     that number among several; pure;
//   - [Text] and [JSON], which cut a text at a line and JSON at its lists (text.go, json.go);
//   - [SaysError], which reads whether a result is one of a failed call;
//   - [Store], which keeps whole results for the sessions that they were sent to (store.go),
//     and gives them in pages (keep.go).
//
// # Promises
//
//   - JSON stays JSON: its lists are shortened, and end with how much is missing.
//   - structuredContent goes on satisfying its schema: if it can't be shortened so, it stays
//     whole. Images, audio and other binary contents stay as they are.
//   - What a Store keeps is bounded in all and for each session; the oldest goes first. No
//     session reads what another one was sent, and no name can be guessed.
package results
