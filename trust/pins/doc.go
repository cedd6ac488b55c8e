// Package pins says how the definition that a page registers a tool with stands with
// what was accepted of its origin before.
//
// # What lives here
//
//   - [Definition]: a tool as registered, with the address of the script that did it;
//   - [Site]: all that is pinned of one origin: sets of definitions that were accepted,
//     those that wait for a person, and the origin's first visit;
//   - [Book]: an immutable snapshot of all sites, which judges tools ([Book.Of]) and
//     finds those that imitate another's;
//   - [Differences]: by what two definitions differ, in words.
//
// # Words
//
// The first visit to an origin makes its baseline: whatever is registered during it is
// accepted. It begins when the hub sees the first tool of the origin. It ends once no
// tab has shown the origin for [VisitPause], or [VisitLength] after it began, or when a
// person accepts the origin's definitions; a hub that starts again goes on with it. Pages
// register tools as their state changes, so one moment would be too short a baseline.
// After the first visit a definition that was never accepted is drift: a new name, a
// changed definition, a tool under another name. Sets only grow by acceptance, so that a
// definition which was accepted once never is drift again: a page's states and a roll-back
// ask nobody.
//
// What the hub itself makes of a page that has no tools ([offer.DOM]) follows from what
// its user sees, changes all the time and is not pinned. A document without an origin of
// its own (a sandboxed frame, about:blank) is pinned under its page's origin, apart from
// that origin's own tools; where the page has none either there is nothing to pin to, and
// with [Hold] its tools are withheld.
//
// Two definitions are the same if their name, title, description, schemas, annotations
// and _meta are, whatever the order of members in JSON, and if no third party's script
// registered the later one that did not register the earlier one. Titles, input schemas
// and scripts that the hub was not told this time (Chrome doesn't always say), and what
// Chrome's own WebMCP leaves out of the words of a page's MCP server, are no difference.
//
// # Concurrency
//
// Everything is immutable, but for a [Site] before it is given to a [Book]. Nothing here
// reads a file or a clock: package store does.
package pins
