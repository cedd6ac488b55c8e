// Package calls carries out the clients' tool calls, from the name that a client gives to the result that it gets
// ([Handler.Handle]).
//
// # What lives here
//
//   - Calls of a page's tool (call.go): the hub resolves the name against what the client has read, checks the
//     arguments, asks the page through a [Caller], and makes the result one that every client accepts.
//   - Tools of a site (site_tool.go): the hub calls the tool in a chosen tab, opens a tab if none has the tool, and
//     turns to another tab if the chosen one is closed.
//   - list_webmcp_tools (static.go) and call_webmcp_tool (byname.go), for clients that ignore
//     notifications/tools/list_changed.
//   - call_webmcp_tools (steps.go). Its steps are carried out like calls of their own; package batch decides which
//     may run.
//   - Results that are too long for a client, and read_result (fit.go).
//   - The tab tools (tabs.go), and connect_webmcp and disconnect_webmcp (connect.go), which use the [Browser]. A page
//     is connected for all clients. A focus belongs to one client, and so does the lease on a tab that goes with it
//     ([view.Leases]).
//   - The requests that ask for the browser (browser.go).
//   - [Record]: what an audit learns about each call.
//
// # Promises
//
//   - A call is refused if its name has come to mean another page's tool since the client read the list
//     ([registry.Resolve]).
//   - A failure that an agent could correct is a result with isError that says what to do. Only a name that has never
//     been a tool's is a protocol error.
//   - A call that needs the browser waits for it, for a limited time.
//   - A call whose tab goes away is tried in another tab only if the page was not asked, or if the tool declares that
//     it may be called again.
//
// The package knows no transport. Any goroutine may use it.
package calls
