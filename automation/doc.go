// Package automation holds the browser tools: those by which an agent sees and
// operates pages that offer no tools of their own. They have the names of
// chrome-devtools-mcp.
//
// # What lives here
//
//   - the table of all tools (table*.go): name, category, title, description, input
//     schema, annotations and handler of each, in one place. docs/tools.md is made
//     from it;
//   - [Service], which carries calls out: it finds the tab that a call means, holds it
//     against the rules, and opens the tab for automation when it is first used;
//   - each client's current page, the owner of each tab, and the things of the browser
//     that only one client at a time may use ([Service.lease]).
//
// How a tab is spoken to is automation/page. What is seen is automation/snapshot,
// automation/capture, automation/records and automation/waiting; what is done
// automation/input and automation/evaluate; what a page is made to believe
// automation/emulation; what is measured automation/trace. Browser contexts of agents
// are automation/contexts, their files automation/files; how a page goes elsewhere is
// automation/travel.
//
// # Promises
//
//   - A tab that no tool was used on is not touched, and what a tab needed is
//     switched off when the last client that used it is gone; five minutes later
//     where clients have no session by which they could go.
//   - A call acts on the tab that its client means, never on another: pageId, or the
//     client's own current page. Two clients' current pages don't know of each other.
//   - Nothing of a page whose origin the rules forbid is read, and nothing is done to it.
//   - Every call ends: with its answer, or with what became of its page, or with its
//     context.
//
// # Concurrency
//
// Any goroutine may use a [Service]. Its maps are guarded by one lock, which is never
// held while a browser is waited for.
package automation
