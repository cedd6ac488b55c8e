// Package approvals makes the questions to a person about an action, reads the answers, and knows how long they hold.
//
// # What lives here
//
//   - [Question]: the text and the form that a person sees. The words of a page or an agent are on lines of their own
//     that begin with a bar, so that nobody takes them for the hub's words.
//   - [Question.ReadAnswer]: what a person chose. An answer that isn't one of the choices is a refusal.
//   - [Book]: which questions are open, in which tabs which clients can do nothing meanwhile, and what was allowed
//     for longer than once.
//   - [Store]: keeps answers that hold until a time ([Lasting]) in a file, for later hubs.
//
// # Promises
//
//   - An answer counts for the session that was asked, and for no other. An answer that holds until a time also
//     counts for later sessions whose client gives itself the same name, once the first session has ended or a later
//     hub has begun.
//   - An answer for longer than once counts only for the same definition.
//   - Nothing is remembered for clients without a session.
//   - The file contains neither arguments nor results. It says who may call which tool of which site, the hash of the
//     tool's definition, since when and until when. It is bounded by [MaxAnswers].
//   - Only answers that a hub wrote count. Each answer has an HMAC with a key from a file beside it, which no tool of
//     the hub reads or writes. (A process that can read the user's files without the hub can make an HMAC, too.) If
//     the file is broken, or others may read or write it, none of its answers counts; the log says so, and the hub
//     doesn't write to the file until a person has repaired or removed it.
//   - An answer that a person removes from the file ends a few seconds later. Setting a clock back doesn't make an
//     answer hold longer: it makes the hub forget all of them.
//
// Everything except the Store is pure: the time is an argument, and the owner of a Book guards it. Any goroutine may
// use a Store. Several hubs may write one file; a running hub doesn't adopt answers from another one.
package approvals
