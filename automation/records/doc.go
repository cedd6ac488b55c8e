// Package records records what the documents of a tab have logged and fetched: console messages, uncaught errors and
// issues, network requests, and downloads.
//
// # What lives here
//
//   - [Records] has the records of one tab in use. It receives the page's events, and fetches bodies from Chrome
//     (live*.go).
//   - [Tab] has the bounded rings of one tab. It is pure. [Tab.Event] takes CDP events. [Tab.Messages],
//     [Tab.Requests] and [Tab.Downloads] return values that the caller may keep.
//   - [MessageList], [Message], [RequestList], [Request] and [DownloadList] are these values, with text for a model.
//   - [Part] returns parts of bodies.
//
// # Ids
//
// msgid and reqid count up from 1 in each tab and are never reused. An id that has fallen out of its ring is refused
// with that reason, and never names another message. Equal consecutive console messages share one id and a count.
//
// # Documents
//
// Records are grouped by the documents of the main frame; the last three documents are kept. A request that navigates
// belongs to the document that it brings, or to the previous one if it brings none (a download, 204).
//
// # The time before
//
// When its domains are enabled, Chromium replays the last 1,000 console messages and errors of the document at most
// (without previews of objects), its log entries and its issues. It replays no network requests; lists
// say since when requests are recorded.
//
// # Bodies
//
// Bodies stay in Chrome. Chrome keeps the newest bodies of each tab across navigations and processes (Network.enable
// with enableDurableMessages). A body is fetched only when somebody asks for it, and as a whole, because CDP has no
// other way. A body longer than [MaxBody] is refused because of its length, before any of it is fetched.
//
// # Promises
//
//   - A ring never holds more than its [Bounds] in entries and in bytes, whatever the page does. Entries that fell
//     out are counted. A console event is decoded only when somebody asks for it.
//   - What documents say is not recorded if [page.Options].Permits denies their origin. Requests to such origins
//     are listed by their address only.
//
// # Concurrency
//
// A Tab may be used by one goroutine at a time. Any goroutine may use a Records. Its lock is held while it handles an
// event or answers a query, but never while it asks Chrome.
package records
