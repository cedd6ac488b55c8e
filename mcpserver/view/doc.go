// Package view holds what each client sees of the hub, and what the hub knows of each client.
//
// # What lives here
//
//   - [Settings], [Mode]: how a client sees the hub.
//   - [ClientView]: the catalog and focus of one client, the lists that follow from these (page by page if need be),
//     and what the client has read of them. It has a lock, under which nothing blocks.
//   - [ServedCatalog]: a catalog with its serialized lists, which are made once for all clients. A [Listing]
//     (listing.go) is such a list.
//   - [Current]: the newest catalog, and a way to wait for another one.
//   - [Client]: a client's ClientView together with its connection (package wire). A change of what the client sees
//     becomes a notification on the connection.
//   - [Leases]: the tabs that clients keep to themselves (focus_tab with exclusive), and who may use such a tab.
//   - [Surface], [LeanTool], [Instructions]: whether a client's list contains all pages' tools, or
//     only the hub's own with short descriptions, by which the client finds and calls all others. This doesn't decide
//     which tools can be called.
//
// # Promises
//
// A client may have read several lists. A name means what it meant in the newest of those lists that have the name
// ([ClientView.Knowing]), even if another page has taken the name since. So the hub never calls a tool that the client
// didn't mean ([registry.Resolve]).
//
// A ClientView decides and remembers, and writes nothing. [Changes] say which lists have a new version, and the
// caller announces them. Any goroutine may use the types of this package.
package view
