// Package flow decides whether an action would carry one site's data to another, by comparing what the action says
// with what its client has read.
//
// # What lives here
//
//   - [Book]: what each client has read and said. [Book.Decide] compares an action with that, and decides.
//   - text.go: what the Book keeps of a text. payload.go: in which codes an action's texts may be written.
//   - [Pair]: data of which origins may go to which others, as --allow-flow takes it.
//
// # What counts
//
// A client reads from an origin when text or images of the origin's pages are sent to the client: the result of a
// call, a resource, a prompt, the text or a picture of a page. The Book keeps hashes of passages, of numbers and of
// fields' values.
//
// An action carries data of an origin if it contains any of these, in any of the codes that payload.go knows. Two
// things are exempt: words that the client used before it read them, and words that the target's site has shown
// itself. Some data can't be compared. After the client has received a picture of an origin, an action counts as
// carrying that origin's data if it contains anything that is not exempt. If a script computes what an action sends,
// or if the costs of choices, times and numbers add up, the action counts as carrying the data of each origin that has
// shown the client a number, an address or a field's value.
//
// Two origins belong to the same site if they have the same scheme and the same registered domain, as in browsers; the
// port doesn't count. With [Options.Strict] each origin is a site of its own.
//
// # Promises
//
//   - Memory is bounded for each client. Text that the book can't keep counts as read: beyond the limits of memory,
//     and after a client came from another hub, everything new that it sends is suspect.
//   - Unknown origins are foreign: an opaque or unknown origin belongs to no site, not even to its own. So nobody
//     can allow its flows for longer than once. If a client has read from more origins than are remembered, only
//     pairs that begin with * let it go on.
//   - Text that may come from any of several origins counts as data of each of them when it goes out. It counts for
//     none of them as text that the site has shown.
//   - Clients without a session can't be told apart. They count as one client, so what one of them has read counts
//     for all of them.
//
// The package is pure: it has no goroutine, no clock and no logger.
//
// # Concurrency
//
// A [Book] belongs to one goroutine, or its owner's lock guards it.
package flow
