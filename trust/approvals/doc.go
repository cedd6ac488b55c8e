// Package approvals knows what a person is asked about a deed, what an answer means, and
// how long it holds.
//
// # What lives here
//
//   - [Question]: the text and the form that a person sees. What a page says stands on
//     lines of its own that begin with a bar, so that it can't pass for the hub's words;
//   - [ReadAnswer]: what a person chose; whatever isn't one of the choices is a refusal;
//   - [Book]: which questions are open, which tabs are shut for whom meanwhile, and what
//     was allowed for longer than once;
//   - [Lasting]: an answer as it is kept for the hubs to come (trust/approvals/store).
//
// # Promises
//
//   - An answer counts for the session that was asked, and for nobody else. One that holds
//     until a time is left to sessions whose client calls itself the same, once the first
//     is over, or a later hub has begun.
//   - An answer for longer than once counts for the same definition only.
//   - Nothing is remembered for clients without a session.
//
// The package is pure: the time is an argument, and whoever has a Book guards it.
package approvals
