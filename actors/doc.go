// Package actors holds the actors of the running hub. Each owns one thing, and they
// talk by messages.
//
//	Hub ── registry actor       owns registry.State; sole writer to the MCP server
//	    ├─ browser.Actor        one per browser: owns the CDP connection, the targets, reconnecting
//	    │    └─ tab.Tab         one per tab, with a cdp.Link: sessions, documents, tools, calls
//	    └─ extbrowser.Actor     owns the connections of browsers' extensions
//	         └─ tab.Tab         one per tab, with an ext.Link: documents, tools, calls
//
// # What is promised
//
//   - A tab's actor never blocks in Receive. CDP commands are posted and come
//     back as messages in wire order; the page's own MCP server is talked to
//     by goroutines of the document, whose results come back as messages that
//     carry the document ([registry.Gen]) they belong to. Those of an old
//     document are dropped. So is all that an actor tells the registry of a
//     page that another has taken over ([registry.Epoch]).
//   - A page that the hub is not attached to (see browser/tabs.go) has no
//     session, and nothing is ever sent to it.
//   - Every call ends: by the tool's answer, or by the way its page, frame,
//     document or Chrome ended, or by its own context.
//   - So does every request to a page's own server ([Hub.Ask]) and every request
//     of such a page: with its document.
//   - A page that hangs, crashes or floods delays nobody else.
//   - Nothing is lost in rapid changes: see tab.Flight.
//   - A panic in any message handler is logged and mended by the actor's Failed
//     method. A page's actor is replaced, and its target attached anew; its
//     calls end. The registry actor starts with a fresh state, which is told
//     everything again; calls don't notice. The browser actor makes up for the
//     message. Beyond [supervisor.MaxFailures] in [supervisor.FailureWindow] a page is left
//     alone, and the hub ends with an error ([Hub.Failed]).
//   - No mailbox grows without bound: see below.
//
// # Mailboxes
//
// They have no bound of their own. What may stand in one is bounded by its senders:
//
//   - A page's events: tab.MaxBacklog, counted by tab.Intake. A page that sends more
//     than its actor can read is taken up anew, as one whose actor panicked; after
//     [supervisor.MaxFailures] of that it is left alone.
//   - Replies, and what goroutines and timers bring: one for each that the
//     actor itself asked for.
//   - Title changes of a tab: one waits at a time, the newest counts.
//   - The registry actor's: one report of each page, and what comes of a navigation,
//     which takes Chrome longer.
//
// # Concurrency
//
// [Hub]'s methods may be called from any goroutine. Everything else here
// belongs to its actor. Actors are stopped by their owner's message, never
// by protoactor's restart: a page's state is a live session, which a restart
// can't bring back.
//
// What the supervisors of tabs have in common is package supervisor's.
//
// Only packages under this folder import protoactor.
package actors
