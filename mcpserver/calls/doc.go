// Package calls carries out the clients' calls of tools, from the name that a
// client gives to the result that it gets ([Handler.Handle]).
//
// # What lives here
//
//   - calls of a page's tool (call.go): its name is resolved against what the client
//     has read, its arguments are checked, the page is asked through a [Caller], and
//     the result is made one that every client takes;
//   - tools of a site (routed.go): asking the tab that is chosen, opening one, and
//     turning to another one that was closed;
//   - list_webmcp_tools (static.go) and call_webmcp_tool (byname.go), for clients
//     that ignore notifications/tools/list_changed;
//   - call_webmcp_tools (steps.go, stepsanswer.go), whose steps go the same way as calls of
//     their own; which may run when is package batch's;
//   - results that are too long for a client, and read_result (fit.go);
//   - the tab tools (tabs.go), and connect_webmcp and disconnect_webmcp
//     (connect.go), which go to the [Browser]. What is connected is so for all
//     clients; a focus is one client's, and so is the lease on a tab that goes with
//     it (package leases);
//   - when the browser is asked for by a request that needs it (browser.go);
//   - [Record], what an audit is told of each call.
//
// # Promises
//
//   - A call is refused if its name has come to mean another page's tool since the
//     client read the list ([registry.Resolve]).
//   - What an agent could mend is a result with isError that says what to do; only a
//     name that was never a tool's is a protocol error.
//   - A call that needs the browser waits for it, for a while.
//   - A call whose tab goes away is tried in another one only if the page was not
//     asked, or its tool says that it may be called again.
//
// The package knows no transport. Any goroutine may use it.
package calls
