// Package lens is what one client sees of the hub: which catalog, in which mode,
// with which focus; the lists that follow from it, page by page if need be; and
// what the client has read of them.
//
// What a client has read says what it means: a name is understood as the newest
// list that has it has it ([Lens.Knowing]), also when a page has taken the name
// over since. So a call is never carried out by a tool that the client did not
// mean ([registry.Resolve]).
//
// # What lives here
//
//   - [View], [Mode]: what one client sees, as settings;
//   - [Served], [Listing]: a catalog with what is serialised of it, once for all
//     clients;
//   - [Lens]: one client's, with its lock, under which nothing blocks;
//   - [Current]: the newest catalog, for whoever waits for another one, or tells how the browser
//     stands meanwhile.
//
// The package decides and remembers. It writes nothing: [Changes] say which lists
// have another version, and whoever asked announces them.
package lens
