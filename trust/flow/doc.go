// Package flow decides whether an action would carry one site's data to another, by comparing what the action says with
// what its client has read.
//
// # What lives here
//
//   - [Book]: what each client has read and said. [Book.Decide] decides about an action after that.
//   - text.go says what is kept of a text, said.go in which ways an action's texts may be meant.
//   - [Pair]: data of which origins may go where, as --allow-flow says it.
//
// # What counts
//
// A client reads from an origin when text or images of the origin's pages are sent to the client: the result of a
// call, a resource, a prompt, the text or a picture of a page. Kept are hashes of passages, numbers and fields' values.
//
// An action carries data of an origin if it says any of these, in any of the codes that said.go knows, unless the
// client has said it before it read it, or the target's site has shown it. Where nothing can be compared, the pair of
// sites counts: after a picture, for a script that computes, and when the costs of choices, times and numbers add up.
//
// Two origins belong to the same site if they have the same scheme and the same registered domain, as in browsers;
// the port doesn't count. With [Options.Strict] each origin is a site of its own.
//
// # Promises
//
//   - What can't be kept counts as read: beyond the limits of memory, and after a change of hubs, everything new is
//     suspect. Memory is bounded for each client.
//   - Unknown origins are foreign: an opaque or unknown origin belongs to no site, not even to its own. So nobody can
//     allow its flows for longer than once. If a client has read from more origins than are remembered, only pairs that
//     begin with * let it go on.
//   - Text that may be of several origins counts as each one's for what goes out, and as none's for what a site knows.
//   - Clients without a session can't be told apart. They count as one client here, so what one of them has read
//     counts for all of them.
//
// The package is pure: it has no goroutine, no clock and no logger.
//
// # Concurrency
//
// A [Book] belongs to one goroutine, or its owner's lock guards it.
package flow
