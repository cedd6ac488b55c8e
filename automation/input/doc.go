// Package input acts on the elements of a page as a person does: it clicks, hovers, drags, fills, chooses, types and
// uploads.
//
// A [Tab] acts on one page, one action at a time. Before it acts, it looks at the element, as often as a [Machine]
// decides: is the element attached, visible, at rest, enabled and editable? Can it be scrolled into view? Would a
// press at its place reach it, also through each frame around it? Then the Tab acts. Meanwhile a guard in the page
// stops events that would arrive elsewhere, and reports which have arrived. The Tab waits, within bounds, for what
// the action began (a navigation, a dialog, popups, downloads), and reports it in an [Outcome].
//
// An action is a method of [Tab] that calls Tab.onElement (act.go), or Tab.keyAction (keyboard.go) for keys: click.go,
// drag.go, fill.go, keyboard.go, upload.go and others. act.go does what the Machine decides, aim.go looks at an
// element and scrolls to it, and effects.go waits for what an action began. machine.go decides about looks.
// geometry.go maps points from frame to frame, through CSS transforms. values.go compares the values of fields and
// describes what is wrong with them. Package keys is the keyboard. The scripts are those of [page.ActingScript].
package input
