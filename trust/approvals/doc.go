// Package approvals knows what a person is asked about an action, what an answer means, and how long it holds.
//
// # What lives here
//
//   - [Question]: the text and the form that a person sees. What a page or an agent says stands on lines of its own that
//     begin with a bar, so that it can't pass for the hub's words;
//   - [ReadAnswer]: what a person chose; whatever isn't one of the choices is a refusal;
//   - [Book]: which questions are open, which tabs are closed to which clients meanwhile, and what was allowed for longer
//     than once;
//   - [Store]: keeps answers that hold until a time ([Lasting]) in a file, for later hubs.
//
// # Promises
//
//   - An answer counts for the session that was asked, and for nobody else. One that holds until a time counts later for
//     sessions whose client calls itself the same, once the first session is over or a later hub has begun.
//   - An answer for longer than once counts for the same definition only.
//   - Nothing is remembered for clients without a session.
//   - The file has no arguments and no results: who was allowed which tool of which site, the hash of the tool's
//     definition, since when and until when. It is bounded by [MaxAnswers].
//   - Only what a hub wrote counts: each answer has an HMAC by a key in a file beside it that no tool of the hub reads or
//     writes. (A process that can read the user's files without the hub can make one, too.) Of a file that is broken, or
//     that others may read or write, no answer counts; the log says so, and nothing is written to it until a person has
//     mended or removed it.
//   - What a person takes out of the file ends a few seconds later. No answer holds for longer because a clock was set
//     back: that forgets all of them.
//
// Everything but the Store is pure: the time is an argument, and whoever has a Book guards it. Any goroutine may use a
// Store. Several hubs may write one file; a running hub doesn't take over answers from another one.
package approvals
