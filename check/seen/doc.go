// Package seen is what was seen of a page that is checked: its tools as it registered
// them, what Chrome and the hub refused of them, and when they came and went. The rooms
// of package check judge these values, without a browser; package check/watch makes them.
//
// It imports the standard library only. Everything in it is the page's word.
package seen
