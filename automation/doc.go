// Package automation has the browser tools: those by which an agent sees and operates pages that offer no tools of
// their own. Their names are chrome-devtools-mcp's.
//
// # What lives here
//
//   - The table of all tools (table*.go): name, category, title, description, input schema, annotations and handler of
//     each. docs/tools.md is made from it. tools_*.go have the handlers, request.go and answer.go what they answer.
//   - [Service] carries calls out. It finds the page that a call means (choice.go), holds the call against the rules
//     (judging.go), and opens the page for automation when a tool first uses it.
//   - Each client's current page, the owner of each tab, and the parts of the browser that only one client at a time
//     may use, such as its performance trace (leases.go).
//   - The isolated browser contexts that agents name (contexts.go), and the files that agents name (files.go): only
//     those below their client's roots and in the system's folder for temporary files. No link leads out of these, and
//     files of the hub, of browsers, and those that hold keys are protected there, too (protected.go).
//
// A tab's sessions, scripts, waiting, navigation and screenshots are in automation/page; what a page shows in
// automation/snapshot; mouse, keyboard and fields in automation/input; console, requests and downloads in
// automation/records; performance traces in automation/trace.
//
// # Authorization
//
// A call is authorized for one document of its tab, and for further ones by their origins ([Authorization]). If the tab
// shows another document when the tool comes to act, it does nothing. What other documents say is left out of the answer
// unless the client could have looked at them. Any goroutine may ask an Authorization while its call runs.
//
// # Promises
//
//   - The hub leaves a tab alone until a tool uses it. It switches off what it switched on there when the last client
//     that used the tab is gone, or after five minutes for clients without a session.
//   - A call acts on the tab that its client means and on no other: the tab of pageId, or the client's current page.
//     The current pages of two clients are independent.
//   - Nothing of a page whose origin the rules forbid is read, and nothing is done to it.
//   - Every call ends: with its answer, with what became of its page, or with its context.
//
// # Concurrency
//
// Any goroutine may use a [Service]. One lock guards its maps; it is never held while the browser is waited for.
package automation
