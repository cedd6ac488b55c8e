// Package tree makes one tree of what Chrome tells of a page: what is on it, what can be
// acted on, and what is written around it.
//
//   - dom.go and ax.go decode what Chrome answers: its DOM with boxes, cursors and click
//     handlers, and its accessibility tree; visible.go finds what of the DOM can be seen;
//   - infer.go and names.go stand in for the accessibility tree where that isn't known;
//   - identify.go says which element a uid was given to, for snapshots and for actions;
//   - build.go makes nodes of the DOM, and joins the frames; describe.go says how a node stands;
//   - distill.go takes away what only lays out or repeats a name;
//   - clean.go makes what pages say fit to stand in a line.
//
// It is pure: no goroutine, no clock, no I/O. Its nodes' texts are the page's, clean, but
// untrusted. Values of passwords are never in a tree.
package tree
