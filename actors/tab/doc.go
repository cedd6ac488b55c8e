// Package tab has the actor of one tab. The actor is the same for every kind of [Link] by which the page is reached.
//
// A [Tab] owns its tab's life. It alone attaches to the page and detaches from it, bounds each wait, reports to the
// registry and answers calls. Its [Phase] (phase.go) says what state it is in. The table of phases (table.go) says
// which event leads from which phase to which, and what the tab does then; docs/phases.md is generated from the
// table. If an event occurs in a phase for which the table has no row, that is a bug and is logged as an error.
//
// A [Link] has what differs between the ways to pages: the debugging port, or the browser's extension. Everything
// that concerns the content of pages, their frames and their documents is in the Link, not here. Supervisors (the
// actors of browsers) say that a tab exists, that it has gone, and whether the hub is to be attached to it. They know
// no sessions.
//
// # Who owns what
//
//   - The tab's actor owns all of a [Tab] and of its [Link]. No message handler blocks.
//   - A caller shares an [Address] with the tab, by which the tab is reached and which says how it ended, and a
//     [Call], of which the caller reads the answer and the hurdle.
//   - Those who send messages to the tab share a [FlowControl] with it, which bounds the mailbox.
//
// Each report carries the tab's epoch and the document's generation. Reports of a tab that another actor has taken
// over, and reports about an older document, are dropped in one place: registry/epoch.go.
package tab
