// Package page gives automation one [Page] per tab in use: the tab's sessions with
// Chrome, its frames and their worlds, its dialogs, its events and the queue of those
// who act on it.
//
// # Sessions
//
// A Page has sessions of its own, beside those of the tab's actor. It opens a session
// with the browser (Target.attachToBrowserTarget), through that one with the tab, and
// through that one with each out-of-process iframe. So no event of its sessions reaches
// the hub's browser actor, what it enables ends with it, and detaching the first of
// them ends them all.
//
// # One owner
//
// One goroutine owns the state of a Page. Everything reaches it through one queue, in
// the order of the wire: events, replies, questions. So when [Page.Call] returns, all
// that Chrome said before its reply has been seen: frames, dialogs, navigations. What
// others read ([Page.Frames], [Page.Dialog]) is a copy that the owner publishes.
//
// Events that are only records (console messages, network requests, changes of the DOM)
// are dropped and counted while too many wait; see [Page.Dropped]. No others are.
//
// # Which document
//
// A [FrameRef] names one document in one frame. Whoever holds one gets that document or
// a [*DocumentGone], never the document that replaced it. That holds across processes,
// where Chrome numbers contexts and nodes anew.
package page
