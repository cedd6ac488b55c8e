// Package tree makes one tree of what Chrome tells of a page: what is on it, what can be
// acted on, and what is written around it.
//
//   - dom.go and ax.go decode what Chrome answers: its DOM with boxes, cursors and click
//     handlers, and its accessibility tree;
//   - part.go decides what of a large document Chrome is asked at all;
//   - build.go joins the two, and the frames; describe.go says what a node is and how it
//     stands;
//   - distill.go takes away what only lays out or repeats a name;
//   - clean.go makes what pages say fit to stand in a line.
//
// It is pure: no goroutine, no clock, no I/O. Its nodes' texts are the page's, clean, but
// untrusted. Values of passwords are never in a tree.
package tree
