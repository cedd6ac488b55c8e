// Package records keeps what a tab has said and fetched since its document began:
// console messages, uncaught errors and issues, network requests, downloads.
//
// # What lives here
//
//   - [Tab]: the bounded rings of one tab. [Tab.Event] takes the events of CDP,
//     [Tab.Messages], [Tab.Requests] and [Tab.Downloads] answer with values that
//     the caller may keep;
//   - [MessageList], [Message], [RequestList], [Request], [DownloadList]: those
//     values, with their texts for a model and JSON for a program;
//   - [Part]: bodies in pieces.
//
// # What does not
//
// Feeding a Tab with the events of a page, and fetching bodies: that is package
// live below this one.
//
// # Ids
//
// msgid and reqid count up from 1 in each tab and are never used again, so an id
// that has fallen out of its ring is refused with that reason and never names
// another message. Equal consecutive console messages share one id and a count.
//
// # Documents
//
// Records are split where the main frame gets another document; the last three
// documents are kept. A request that navigates belongs to the document that it
// brings, and to the one before if it brings none (a download, 204).
//
// # What can be known of the time before
//
// Chromium replays at most the last 1,000 console messages and errors of the
// document (without previews of objects), its log entries and its issues when the
// domains are enabled. It replays no network requests: [Tab.NetworkSince] says
// since when they are recorded, and lists repeat it.
//
// # Promises
//
// A ring never holds more than its [Bounds] in entries and in bytes, whatever the
// page does; what fell out is counted. A console event costs no decoding until
// somebody asks for it. A Tab does no input, output or timekeeping and belongs to one
// goroutine at a time.
package records
