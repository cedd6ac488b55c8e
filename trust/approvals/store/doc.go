// Package store keeps answers that hold until a time in a file, for the hubs to come.
//
// # What lives here
//
//   - [Store]: what a hub knows of the file while it runs (store.go);
//   - the file itself: its form, its lock, and how it is written (file.go).
//
// # Promises
//
//   - The file has no arguments and no results: who was allowed which tool of which site, the
//     hash of the tool's definition, since when and until when.
//   - Nothing holds that can't be read for certain: of a file that is broken, or that others
//     may read or have written, no answer counts. The log says so, and nothing is written to
//     it until a person has mended or removed it.
//   - Only what a hub wrote down holds: each answer has a mark, an HMAC by a key in a file beside it that no tool of the
//     hub reads or writes. What others add or change doesn't count, and a person is asked. Who can read the user's files
//     without the hub can make marks.
//   - What a person takes out of the file holds no longer, a few seconds later.
//   - No answer holds for longer because a clock was set back: that forgets all of them.
//   - It is bounded: [MaxAnswers], and those that are over go.
//
// Several hubs may write one file. A running one takes no answers over from another's: only
// one that begins later does.
//
// Any goroutine may use a Store.
package store
