// Package page gives automation one [Page] for each tab in use: the tab's sessions with Chrome, its frames and their
// isolated worlds, its dialogs, its events, and the queue of those who act on it.
//
// # What lives here
//
//   - [Page]: sessions, frames, events, dialogs;
//   - [Navigate]: goes to an address, back, forward, or loads again, and waits until the page is there;
//   - [Wait]: waits until a page shows a text, no longer shows it, or is at an address;
//   - [Evaluate]: runs an agent's script and makes JSON of what it returns;
//   - [Capture]: screenshots of what a tab shows, of an element, or of a whole page, in bounded size;
//   - scripts.go and the scripts beside it: the JavaScript that automation runs in pages.
//
// Emulation is in automation/emulation.
//
// # Sessions
//
// A Page has sessions of its own, beside those of the tab's actor. It opens a session with the browser
// (Target.attachToBrowserTarget), through that one a session with the tab, and through that one a session with each
// out-of-process iframe. So no event of its sessions reaches the hub's browser actor, and detaching the first session
// ends the others and everything that they enabled.
//
// # One owner
//
// One goroutine owns the state of a Page. Events, replies and questions reach it through one queue, in the order in
// which Chrome sent them. When [Page.Call] returns, the Page has therefore seen everything that Chrome sent before the
// reply: frames, dialogs, navigations. What others read ([Page.Frames], [Page.Dialog]) is a copy that the owner
// publishes.
//
// While too many events wait, those that are only recorded (console messages, requests, changes of the DOM) are dropped
// and counted; see [Page.Dropped]. No others are.
//
// # Which document
//
// A [FrameRef] names one document in one frame. Its user gets that document or a [*DocumentGone], never the document
// that replaced it. That holds across processes, where Chrome numbers contexts and nodes anew.
//
// # Pages in the background
//
// A tab in the background is captured as fast as one in front: its focus is emulated while automation uses it, and
// Chrome is made to draw it for the screenshot ([Page.Draw]). Nothing is brought to the front.
//
// [Wait] looks into all frames that the rules permit, also those that come meanwhile, and goes on through navigations.
// It finds what a person finds: visible text, values of fields, and names. It looks at a document after each change, a
// few times a second at most, and once a second in any case, because a script can set a field without a change that is
// announced. It needs neither animation frames nor timers of the page.
package page
