// Package tab holds the actor of one tab, by whichever link its page is reached.
//
// A [Tab] owns its tab's life: it alone attaches to the page and lets go of it,
// bounds each wait, reports to the registry and answers calls. Its phase (phase.go) is
// the one word for where it is, and the table (table.go) says which event leads from
// which phase to which, and what is done; docs/phases.md is made of it. An event
// without a row in a phase can't be, and is logged as an error.
//
// What differs between ways to pages is a [Link]: the debugging port, or the
// browser's extension. What concerns the content of pages, frames and documents lives
// there, not here. Keepers (the actors of browsers) say that a tab exists, that it has
// gone, and whether the hub is wanted to be attached to it; they know no session.
//
// # Who owns what
//
//   - The tab's actor: all of a [Tab] and of its [Link]. Nothing in its turn waits.
//   - Callers share an [Address] with it, which is how it is reached, and its end; and
//     a [Call] each, of which the caller reads the answer and the hurdle.
//   - Senders share an [Intake], which bounds the mailbox.
//
// Each report carries the tab's epoch and the document's generation. Those of a tab
// that another actor has taken up, or of an older document, are dropped in one place:
// registry/epoch.go.
package tab
