// Package pins compares the definition with which a page registers a tool with the definitions that were accepted of
// its origin before.
//
// # What lives here
//
//   - [Definition]: a tool as it was registered, with the address of the script that registered it.
//   - [Compare]: the changes of a definition that a person has to accept, and those that are only noted. change.go
//     compares definitions and schemas, text.go texts. The lists of words in the folder lexicon say which words tell a
//     reader what to do.
//   - [Site]: everything that is pinned of one origin: the definitions that were accepted, those that wait for a
//     person, and the origin's first visit.
//   - [Book]: an immutable snapshot of all sites. It decides which tools to mark or to withhold ([Book.Check]), and
//     finds those that imitate another owner's.
//   - [Differences]: says in words how two definitions differ.
//
// # Words
//
// The first visit to an origin is its baseline: every definition that is registered during it is accepted. It begins
// when the hub sees the first tool of the origin. It ends when no tab has shown the origin for [VisitPause], or
// [VisitLength] after it began, or when a person accepts the origin's definitions. A hub that starts again continues
// it. Pages register tools as their state changes, so a single moment would be too short for a baseline.
//
// After the first visit, a definition is drift if it has a new name or differs from every accepted one of its name in
// something that an agent acts on ([Compare]). Sets of accepted definitions grow only by acceptance: a change that is
// only noted doesn't become part of what later ones are compared with, so many small changes can't add up to a large
// one. A definition that was accepted once is never drift again, so a page that changes its state, or a site that rolls
// back, causes no question.
//
// Drift waits until a person accepts it. A person accepts single definitions, by an id or as the current one of a tool
// ([Site.Current]). Other waiting definitions of the same tool lapse then.
//
// Tools that the hub itself makes from a page without tools ([offer.DOM]) follow from what the page's user sees. They
// change all the time and are not pinned. A document without an origin of its own (a sandboxed frame, about:blank) is
// pinned under its page's origin, separately from that origin's own tools. If the page has no origin either, there is
// nothing to pin to, and with [Hold] its tools are withheld.
//
// These are no differences: the order of members in JSON; titles, input schemas and scripts that are missing this time
// (Chrome doesn't always report them); and what Chrome's own WebMCP leaves out of the definitions of a page's MCP
// server.
//
// # Concurrency
//
// Everything is immutable, except a [Site] before it is given to a [Book]. Nothing here reads a file or a clock;
// package store does.
package pins
