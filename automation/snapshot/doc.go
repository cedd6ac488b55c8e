// Package snapshot shows a page to a model as text: what can be acted on, with a uid
// each, and what is written around it.
//
// # How a snapshot is made
//
//   - collect.go asks Chrome: each of the page's processes once for its DOM
//     (DOMSnapshot.captureSnapshot: boxes, cursors, click handlers) and for the
//     accessibility tree of each document that isn't large (roles, names, states). No script
//     runs in the page. The accessibility tree of a table of 2,000 rows takes Chrome a second,
//     its DOM an eighth of that; and only some questions are answered in a tab that was never drawn.
//   - Package tree makes nodes of the DOM, with what the accessibility tree says of them or what
//     is inferred from the DOM, and takes away what only lays out or repeats a name.
//   - choose.go decides what fits, by what matters to a person; line.go and render.go
//     write it. query.go and diff.go are other views of a tree.
//   - uid.go remembers which uid means which node, and what it was shown as.
//
// All but collect.go and take.go is pure: no goroutine, no clock, no I/O.
//
// # How it reads
//
//	page "Shop" http://shop.test/
//	 h1 "Chairs"
//	 a3 link "Elm" /p/elm
//	 a4 checkbox "Save" checked
//	 "248 products"
//	 … 47 more items: root=a9 skip=10
//
// A line is a uid (of what can be acted on, and of some containers), a role, a name in
// quotes, a value, states, and where it leads; a line of quotes alone is text. What is in
// quotes is the page's, with quotes and bars in it escaped, so that a page can't forge a line or a uid.
//
// # Promises
//
// What a person can read, scrolling if need be, is shown, or counted as left out with a line that says how to see it.
// What nobody can see is not shown, except in the names of controls. Controls in the viewport come first. Values of
// passwords are never read into a tree.
package snapshot
