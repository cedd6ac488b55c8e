// Package input acts on the elements of a page as a person does: it clicks, hovers, drags,
// fills, chooses, types and uploads.
//
// A [Tab] acts on one page, one action at a time. An action on an element looks at it first
// ([Machine] decides how often): is it attached, visible, at rest, enabled, editable, can it be
// scrolled into view, does a press at its place meet it, in each frame around it too? Then it
// acts, under the watch of a guard in the page that stops what would arrive elsewhere and
// tells what has arrived. What the action began (a navigation, a dialog, popups, downloads) is
// waited for, bounded, and told in an [Outcome].
//
// The parts: machine.go decides, package geometry carries points from frame to frame, package keys is
// the keyboard; the rest carries that out over package page. The scripts are scripts/acting's.
package input
