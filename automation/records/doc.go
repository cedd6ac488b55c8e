// Package records keeps what a tab has said and fetched since its document began: console messages, uncaught errors and
// issues, network requests, downloads.
//
// # What lives here
//
//   - [Records]: those of one tab in use. It hears the events of a page, and fetches bodies from Chrome (live*.go);
//   - [Tab]: the bounded rings of one tab, pure. [Tab.Event] takes the events of CDP; [Tab.Messages], [Tab.Requests] and
//     [Tab.Downloads] answer with values that the caller may keep;
//   - [MessageList], [Message], [RequestList], [Request], [DownloadList]: those values, as text for a model and as JSON
//     for a program;
//   - [Part]: bodies in pieces.
//
// # Ids
//
// msgid and reqid count up from 1 in each tab and are never used again. An id that has fallen out of its ring is refused
// with that reason, and never names another message. Equal consecutive console messages share one id and a count.
//
// # Documents
//
// Records are split where the main frame gets another document; the last three documents are kept. A request that
// navigates belongs to the document that it brings, or to the one before if it brings none (a download, 204).
//
// # The time before
//
// When its domains are enabled, Chromium replays at most the last 1,000 console messages and errors of the document
// (without previews of objects), its log entries and its issues. It replays no network requests: [Tab.NetworkSince] says
// since when they are recorded, and lists repeat it.
//
// # Bodies
//
// They stay in Chrome, which keeps the newest of each tab across navigations and processes (Network.enable with
// enableDurableMessages). A body is fetched when somebody asks for it, and whole, since CDP has no other way. One that
// is longer than [MaxBody] is refused by its length, before any of it is fetched.
//
// # Promises
//
//   - A ring never holds more than its [Bounds] in entries and in bytes, whatever the page does; what fell out is
//     counted. A console event is decoded only when somebody asks for it.
//   - What documents of origins say that [page.Options].Permits denies is not recorded, and requests to such origins are
//     listed by their address only.
//
// # Concurrency
//
// A Tab belongs to one goroutine at a time. A Records may be used by any goroutine. Its lock is held while an event is
// taken or a query answered, never while Chrome is asked.
package records
