// Package actors has the actors of the running hub. Each actor owns one thing. Actors communicate by messages.
//
//	Hub ── registry actor       owns registry.State; sole writer to the MCP server
//	    ├─ browser.Actor        one per browser: owns the CDP connection, the targets, reconnecting
//	    │    └─ tab.Tab         one per tab, with a cdp.Link: sessions, documents, tools, calls
//	    └─ extbrowser.Actor     owns the connections of browsers' extensions
//	         └─ tab.Tab         one per tab, with an extbrowser.Link: documents, tools, calls
//
// # What is promised
//
//   - A tab's actor never blocks in Receive. It posts CDP commands, and the replies come back as messages, in wire
//     order with the events. Each document has goroutines that talk to its MCP server; their results come back as
//     messages that carry the document's generation ([registry.Gen]). Results of an old document are dropped. So are
//     reports of an actor that has been replaced ([registry.Epoch]).
//   - A page to which the hub is not attached (see browser/tabs.go) has no session, and nothing is ever sent to it.
//   - Every call ends: by the tool's answer, by the end of its page, frame, document or Chrome, or by its own
//     context.
//   - Requests between the hub and a page's own server, in either direction ([Hub.Ask]), end at the latest when the
//     document does.
//   - A page that hangs, crashes or floods the hub delays no other page.
//   - A page's list that changes while it is being read is read again (tab.Coalescer).
//   - A panic in a message handler is logged, and the actor's Failed method repairs the damage. A page's actor is
//     replaced, and the new one attaches to the page again; the page's calls end. The registry actor starts with a
//     fresh state and receives all reports again; calls don't notice. The browser actor recovers from the message
//     that it failed to handle. After more than [supervisor.MaxFailures] panics in [supervisor.FailureWindow], a page
//     is left alone. If another actor panics that often, the hub stops with an error ([Hub.Failed]).
//   - No mailbox grows without bound: see below.
//
// # Mailboxes
//
// Mailboxes have no bound of their own. Their senders bound what waits in them:
//
//   - Events of a page: by tab.MaxBacklog, counted by tab.FlowControl. If a page sends more than its actor can handle,
//     another actor takes the page over, as after a panic. After more than [supervisor.MaxFailures] times, the page
//     is left alone.
//   - Replies, results of goroutines and timers: at most one for each that the actor itself has started.
//   - Title changes: at most one message is queued for each tab, with the newest title.
//   - For the registry actor: at most one report of each page, and navigations, which are rare.
//
// # Concurrency
//
// Any goroutine may call [Hub]'s methods. Everything else here belongs to its actor. An actor ends only when its
// owner tells it to. Protoactor's restart isn't used, because a page's state includes a live session, which a restart
// can't bring back.
//
// Package supervisor is the shared base of browser.Actor and extbrowser.Actor.
//
// Only packages under this folder import protoactor.
package actors
