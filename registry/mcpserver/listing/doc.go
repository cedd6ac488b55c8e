// Package listing makes the results of list_webmcp_tools: the pages that are open, with
// their tools, in more or less detail, within a number of tokens.
//
// # What lives here
//
//   - [Page], [Tool]: a page and a tool in full, as the results have them;
//   - [List]: what a [Request] asks for. Without a [Detail] it shows as much as fits,
//     at the least how many tools each tab has; with one it shows that, a part at a time,
//     and a cursor for the rest.
//
// An [Answer] says which tools it shows, because a client knows a tool's name from what it
// has read (see package lens), and not from what was left out.
//
// # Promises
//
// An answer with a limit is never longer than that, by [tokens.Estimate], but that each
// part shows one tool at least, so that a reader comes to the end. Numbers of tabs and of
// tools don't lengthen it. Everything here is pure.
package listing
