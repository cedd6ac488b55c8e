// Package surface decides how much of the hub one client's list of tools shows: all
// pages' tools, or the hub's own only, by which every other is found and called.
//
// # What lives here
//
//   - [Kind]: all, static, or auto;
//   - [Auto]: which of the two a client of kind auto is shown, by what it does and how
//     long its list is;
//   - [Lean]: the hub's own tools in few words, for the static list;
//   - [Instructions]: what an agent with that list has to know.
//
// Which tools can be called is no matter of the surface: their names mean the same
// whatever is listed. Everything here is pure.
package surface
