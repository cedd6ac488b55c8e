// Package page gives automation one [Page] for each tab in use. A Page has the tab's sessions with Chrome, its frames
// and their isolated worlds, its dialogs and its events, and decides whose turn it is to act on the tab.
//
// # What lives here
//
//   - [Page]: sessions, frames, events, dialogs;
//   - [Navigate] goes to an address, back or forward, or reloads, and waits until the page has loaded;
//   - [Wait] waits until a page shows a text, no longer shows it, or is at an address;
//   - [Evaluate] runs an agent's script and encodes what it returns as JSON;
//   - measure.go says where elements are in the page;
//   - [Capture] takes screenshots of bounded size: of what a tab shows, of an element, or of a whole page;
//   - workers.go: a document also reports what workers of its origin log and throw. These are the workers that the
//     document or one of its workers started, and the service workers in whose scope the document is; so several tabs
//     may report the same service worker. A page listens to at most 50 workers of each kind, and to no shared workers,
//     which sessions with tabs don't see. Chrome keeps a service worker running as long as a page listens to it;
//   - [Permit]: what one call may see and do on the page;
//   - scripts.go: the JavaScript that automation runs in pages. acting/ has the helper for acting on elements (look.js
//     looks at an element and scrolls it into view; hit.js, guard.js and others), waiting/ the helper of [Wait].
//
// Emulation is in automation/emulation.
//
// # Sessions
//
// A Page has sessions of its own, apart from those of the tab's actor. It opens a session with the browser
// (Target.attachToBrowserTarget), through that session one with the tab, and through the tab's session one with each
// out-of-process iframe. So the hub's browser actor gets no event of these sessions, and detaching the first session
// ends all others and everything that they enabled.
//
// # One owner
//
// One goroutine owns the state of a Page. Events, replies and questions reach it through one queue, in the order in
// which Chrome sent them. When [Page.Call] returns, the Page has therefore seen everything that Chrome sent before the
// reply: frames, dialogs, navigations. What others read ([Page.Frames], [Page.Dialog]) is a copy that the owner
// publishes.
//
// While too many events wait in the queue, the Page drops and counts events that only report what happened (console
// messages, requests, changes of the DOM); see [Page.Dropped]. It drops no other events.
//
// # Which document
//
// A [FrameRef] names one document in one frame. Code that uses a FrameRef gets that document or a [*DocumentGone],
// and never the document that replaced it. This also holds when a frame moves to another process, where Chrome
// numbers execution contexts and nodes anew.
//
// # Pages in the background
//
// A screenshot of a tab in the background is as fast as one of a tab in front. The tab's focus is emulated while
// automation uses it, and Chrome is made to draw the tab for the screenshot ([Page.Draw]). The tab isn't brought to
// the front.
//
// [Wait] looks into all frames that the rules permit, including frames that appear while it waits, and goes on
// through navigations. It finds what a person would find: visible text, values of fields, and labels. It looks at a
// document after each change, though only a few times a second, and at least once a second, because a script can set
// a field's value without a change that the DOM reports. It doesn't depend on animation frames or timers of the page.
package page
