// Package waiting waits until a page shows a text, no longer shows one, or is at an
// address.
//
// It looks into all frames that the hub may look into, those too that come while it
// waits, and goes on through navigations. What counts is what a person finds: visible
// text, what fields hold, and names. A document is looked at when it has changed, by
// a script that waits there for that, and once a second besides, since not all that can
// be seen is told (a script that sets a field). Neither frames of animation nor timers
// of the page are needed, so that it works in the background; and a page that never
// stops changing is looked at some times a second, no more.
package waiting
