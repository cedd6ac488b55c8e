// Package tree makes one tree of what Chrome reports about a page: its content, what can be acted on, and the text
// around it.
//
//   - dom.go and ax.go decode Chrome's answers: the DOM with boxes, cursors and click handlers, and the
//     accessibility tree. visible.go finds out which parts of the DOM can be seen.
//   - infer.go and names.go replace the accessibility tree where that isn't known.
//   - identify.go says to which element a uid was given, for snapshots and for actions.
//   - build.go makes nodes from the DOM, and joins the frames; describe.go sets the properties of a node.
//   - distill.go removes what only lays out or repeats a name.
//   - clean.go makes texts of pages fit for a line.
//
// The package is pure: no goroutine, no clock, no I/O. The texts of its nodes come from the page; they are clean but
// untrusted. Values of passwords are never in a tree.
package tree
