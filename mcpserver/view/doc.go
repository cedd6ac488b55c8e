// Package view is what one client sees of the hub, and what the hub knows of the client.
//
// # What lives here
//
//   - [View], [Mode]: the settings by which a client sees the hub;
//   - [ClientView]: which catalog one client sees, with which focus; the lists that follow from it, page by page if need
//     be; and what the client has read of them. It has a lock, under which nothing blocks;
//   - [Served], [Listing]: a catalog with its serialised lists, made once for all clients;
//   - [Current]: the newest catalog, for those who wait for another one;
//   - [Client]: one client with its connection (package wire). A change of what it sees becomes a notification there;
//   - [Leases]: the tabs that clients keep to themselves (focus_tab with exclusive), and who may touch such a tab;
//   - [Surface], [AutoSurface], [LeanTool], [Instructions]: whether a client's list has all pages' tools, or only the
//     hub's own, in few words, by which all others are found and called. It doesn't decide which tools can be called.
//
// # Promises
//
// A name means what it meant in the newest list that the client has read ([ClientView.Knowing]), also when another page
// has taken the name since. So a call is never carried out by a tool that the client didn't mean ([registry.Resolve]).
//
// A ClientView decides and remembers, and writes nothing: [Changes] say which lists have another version, and the caller
// announces them. Any goroutine may use what is here.
package view
