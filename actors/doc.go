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
//     order with the events. Goroutines of a document talk to the page's own MCP server, and their results come
//     back as messages that carry the document's generation ([registry.Gen]). Results of an old document are
//     dropped, and so is everything that an actor tells the registry about a page that another actor has taken over
//     ([registry.Epoch]).
//   - A page to which the hub is not attached (see browser/tabs.go) has no session, and nothing is ever sent to it.
//   - Every call ends: by the tool's answer, by the end of its page, frame, document or Chrome, or by its own
//     context.
//   - Every request to a page's own server ([Hub.Ask]), and every request of such a server, ends with its document
//     at the latest.
//   - A page that hangs, crashes or floods the hub delays no other page.
//   - A list that changes while it is being read is read again (tab.Coalescer).
//   - A panic in a message handler is logged, and the actor's Failed method repairs the damage. A page's actor is
//     replaced, and the new one attaches to the page again; the page's calls end. The registry actor starts with a
//     fresh state and receives all reports again; calls don't notice. The browser actor makes up for the message.
//     After more than [supervisor.MaxFailures] panics in [supervisor.FailureWindow], a page is left alone; for the
//     other actors, the hub ends with an error ([Hub.Failed]).
//   - No mailbox grows without bound: see below.
//
// # Mailboxes
//
// Mailboxes have no bound of their own. Their senders bound what waits in them:
//
//   - Events of a page: by tab.MaxBacklog, counted by tab.FlowControl. If a page sends more than its actor can handle,
//     another actor takes the page over, as after a panic. After more than [supervisor.MaxFailures] times, the page
//     is left alone.
//   - Replies, and messages of goroutines and timers: one for each that the actor itself has asked for.
//   - Title changes of a tab: one message waits at a time, and the newest title counts.
//   - Messages to the registry actor: one report of each page, and messages about navigations, which Chrome can't
//     produce fast.
//
// # Concurrency
//
// Any goroutine may call [Hub]'s methods. Everything else here belongs to its actor. An actor ends when its owner
// sends a message that says so, never by protoactor's restart: a page's state includes a live session, which a
// restart can't bring back.
//
// Package supervisor has what the supervisors of tabs have in common.
//
// Only packages under this folder import protoactor.
package actors
