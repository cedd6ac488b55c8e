// Package automation implements the browser tools, with which an agent sees and operates pages that offer no tools of
// their own. Tools that chrome-devtools-mcp also has keep its names.
//
// # What lives here
//
//   - The table of all tools (table.go): each tool's name, category, title, description, effect and handler. The
//     category (tool.go) decides with which --automation=… the tool is offered. Its annotations, and whether another
//     client's tab allows it, follow from the effect. A handler is a method of [Request] in tools_*.go. The struct
//     that holds its arguments is also the tool's input schema; see [schema.Of].
//     outcome.go writes the answer to an action; answer.go encodes results for MCP.
//   - [Service] carries out calls. It finds the page that a call means (choice.go), asks whether the call is
//     allowed (authorization.go), and opens a page for automation when a tool first uses the page.
//   - The service keeps each client's current page, the owner of each tab, and the performance traces that are being
//     recorded, of which each browser has one at a time.
//   - The service also keeps the isolated browser contexts that agents name (contexts.go), and checks the files
//     that agents name (files.go). An agent may use only files in its client's MCP roots and in the system's
//     folder for temporary files. A symbolic link can't lead out of these folders. Files of the hub and of browsers, and
//     files that hold keys, are protected even there (protected.go).
//
// Package automation/page has a tab's sessions, scripts, waiting, navigation and screenshots. Package
// automation/snapshot describes what a page shows. Package automation/input has mouse, keyboard and fields,
// automation/records the console, requests and downloads, and automation/trace performance traces.
//
// # Authorization
//
// A call is authorized for the current document of its tab; documents of other origins, in frames, need decisions of
// their own. See [Authorization]. Each call gets its own [page.Page], a view of the tab's page whose [page.Permit] is
// the Authorization. What looks into a frame or acts consults the Permit first ([page.Page.CheckRead],
// [page.Page.Act]): the functions of packages page, snapshot and input do so. A bare [page.Page.Call], Send or
// Evaluate doesn't: a handler that uses one must call CheckRead first, or AuthorizeFrame, which asks the judge. If the
// tab shows another document by the time the tool acts, the tool does nothing.
//
// The answer contains only what the client may read. A handler asks CheckRead about the text of one frame, Hides about
// the items of a list, and SeesAll about a single item. After the call the Service reports with Read whose text the
// answer may contain. Any goroutine may use an Authorization until its call ends.
//
// # How to add a tool
//
// Add a row to the table, and a handler with its arguments in tools_*.go. The row says how the handler is called: by
// with, which decodes the arguments; by onPage, which also finds the tab, has the call authorized and opens the page;
// or by acting, for tools that act on a page and whose answer says what changed there (outcome.go). getConsoleMessage
// is an example that reads, takeScreenshot one that reads an element (by Request.node), click one that acts on an
// element, and pressKey without a uid one that acts without an element.
//
// These name all tools, too: TestTable (document_test.go), inTheMiddle (endings_test.go), which has a call of each,
// and browserTools (e2e/automation_test.go). Add a tool that doesn't ask the page to unconcerned (endings_test.go). If
// the tool isn't read-only, see the lists in trust/flow_decider.go, trust/rules/preset.go and trust/site.go.
// TestToolsDocument with -update makes docs/tools.md anew; docs/automation.md says how the tools behave. TestTable
// bounds what all definitions cost a model, in tokens: for a new tool, raise the bound by the tool's own cost. If
// chrome-devtools-mcp doesn't have the tool, say so in the introduction that toolsDocument writes (document_test.go).
//
// # Promises
//
//   - The hub leaves a tab alone until a tool uses it. When the last client that used the tab is gone, the hub
//     switches off everything that it switched on in the tab. For clients without a session it does so after five
//     minutes.
//   - A call acts on the tab that its client means and on no other: the tab of pageId, or the client's current
//     page. Each client has a current page of its own.
//   - The tools read nothing of a page whose origin the rules forbid, and do nothing to it.
//   - Every call ends: with its answer, when its page ends, or with its context.
//
// # Concurrency
//
// Any goroutine may use a [Service]. One lock guards its maps. No goroutine holds the lock while it waits for the
// browser.
package automation
