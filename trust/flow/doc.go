// Package flow says when what a client does would carry one site's data to another:
// the client has read from one origin, and now acts on another one.
//
// # What lives here
//
//   - [Book]: what each client has read, and [Book.Decide], what an action is after that;
//   - [Pair]: the data of which origins may go where, as --allow-flow says it.
//
// # What counts
//
// A client reads from an origin when something that a page of it says is sent to the
// client: the result of a call, a resource, a prompt, the text or a picture of a page.
// The names and descriptions of tools don't count: every client is sent those of every
// page at once.
//
// An action carries data when its page gets to know something by it. That is so for all
// that may change something, and for what changes nothing as soon as it has arguments:
// that it only reads is the page's word, and its arguments reach the page all the same.
// An address that a tab is sent to carries data too, unless it is an origin alone that
// the client has read from before.
//
// Two origins of one site are one, as browsers have it (the scheme and the registered
// domain; the port doesn't count), unless [Options.Strict].
//
// # Promises
//
//   - Nothing is guessed: the same reads and the same action give the same decision.
//   - What isn't known is foreign: an opaque or unknown origin is of no other's site, not
//     even of its own; so nobody can allow it for good. Where a client has read from more origins than are remembered,
//     only pairs that begin with * let it go on.
//   - Clients without a session can't be told apart. They are one client here, so that
//     what one has read counts for all of them.
//
// The package is pure: no goroutine, no clock, no logger.
//
// # Concurrency
//
// A [Book] belongs to one goroutine, or is guarded by its owner's lock.
package flow
