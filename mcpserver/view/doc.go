// Package view holds what each client sees of the hub, and what the hub knows of each client.
//
// # What lives here
//
//   - [View], [Mode]: the settings that say how a client sees the hub.
//   - [ClientView]: which catalog a client sees and with which focus, the lists that follow from that (page by page
//     if need be), and what the client has read of them. It has a lock, under which nothing blocks.
//   - [ServedCatalog], [Listing]: a catalog with its serialized lists, which are made once for all clients.
//   - [Current]: the newest catalog, and a way to wait for another one.
//   - [Client]: a client with its connection (package wire). A change of what the client sees becomes a notification
//     there.
//   - [Leases]: the tabs that clients keep to themselves (focus_tab with exclusive), and who may use such a tab.
//   - [Surface], [LeanTool], [Instructions]: whether a client's list contains all pages' tools, or
//     only the hub's own with short descriptions, by which the client finds and calls all others. This doesn't decide
//     which tools can be called.
//
// # Promises
//
// A name means what it meant in the newest list with that name that the client has read ([ClientView.Knowing]), even
// if another page has taken the name since. So the hub never calls a tool that the client didn't mean
// ([registry.Resolve]).
//
// A ClientView decides and remembers, and writes nothing. [Changes] say which lists have a new version, and the
// caller announces them. Any goroutine may use the types of this package.
package view
