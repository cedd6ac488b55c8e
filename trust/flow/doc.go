// Package flow decides when an action would carry one site's data to another: when the client has read from one
// origin and now acts on another one.
//
// # What lives here
//
//   - [Book]: what each client has read. [Book.Decide] decides about an action after that.
//   - [Pair]: data of which origins may go where, as --allow-flow says it.
//
// # What counts
//
// A client reads from an origin when text or images of the origin's pages are sent to the client: the result of a
// call, a resource, a prompt, the text or a picture of a page. The names and descriptions of tools don't count,
// because every client is sent those of all pages at once.
//
// An action carries data when its page can learn something from it. That is so for every action that may change
// something. It is also so for an action that changes nothing but has arguments: that the action only reads is the
// page's claim, and its arguments reach the page in any case. An address to which a tab is sent carries data, too,
// unless it is only an origin from which the client has read before.
//
// Two origins belong to the same site if they have the same scheme and the same registered domain, as in browsers;
// the port doesn't count. With [Options.Strict] each origin is a site of its own.
//
// # Promises
//
//   - Nothing is guessed: the same reads and the same action give the same decision.
//   - Unknown origins are foreign: an opaque or unknown origin belongs to no site, not even to its own. So nobody can
//     allow its flows for good. If a client has read from more origins than are remembered, only pairs that begin
//     with * let it go on.
//   - Clients without a session can't be told apart. They count as one client here, so what one of them has read
//     counts for all of them.
//
// The package is pure: it has no goroutine, no clock and no logger.
//
// # Concurrency
//
// A [Book] belongs to one goroutine, or its owner's lock guards it.
package flow
