// Package input acts on the elements of a page as a person does: it clicks, hovers, drags, fills, chooses, types and
// uploads.
//
// A [Tab] acts on one page, one action at a time. It first looks at the element ([Machine] decides how often): is it
// attached, visible, at rest, enabled, editable, can it be scrolled into view, does a press at its place meet it, also
// in each frame around it? Then it acts. Meanwhile a guard in the page stops events that would arrive elsewhere, and
// tells which have arrived. What the action began (a navigation, a dialog, popups, downloads) is waited for, within
// bounds, and told in an [Outcome].
//
// machine.go decides; geometry.go carries points from frame to frame, through CSS transforms; values.go compares the
// values of fields and says what is wrong with them; package keys is the keyboard. The scripts are those of
// [page.ActingScript].
package input
