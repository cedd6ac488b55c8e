// Package probe inspects pages for package check. It has a Chrome ([Start]) with a hub in this process, opens pages
// in tabs of its own ([Browser.Open]), waits until their tools have settled, and calls tools through the hub
// ([Tab.Call]).
//
// # Two views of a page
//
// A page's tools, and the results of calls, are as the hub sees them: an agent's view. A CDP session beside it sees
// what a hub ignores: when tools come and go, which of them the browser refuses, and what the page's scripts throw.
// For that, a script of the check (recorder.js) wraps registerTool in the page; what it reports may be forged by the
// page.
//
// # Goroutines
//
// A [Browser]'s methods may be called from any goroutine; a [Tab]'s by one at a time. A tape keeps the session's
// events, frames keep the tools of all processes; only the connection's reader writes them.
package probe
