// Package watch looks at pages for package check: it has a Chrome ([Start]) with a hub in
// this process, opens pages in tabs of its own ([Browser.Open]), waits until their tools
// have settled, and calls tools through the hub ([Tab.Call]).
//
// # Two views of a page
//
// What a page's tools are, and what a call brings, is the hub's view: that of an agent. A
// CDP session beside it sees what a hub passes over: when tools come and go, what the
// browser refuses of them, what the page's scripts throw. For that, a script of ours
// (recorder.js) stands before registerTool in the page; what it tells is the page's word.
//
// # Goroutines
//
// A [Browser]'s methods may be called from any goroutine; a [Tab]'s by one at a time.
// The session's events are kept in a tape, which the connection's reader only writes.
package watch
