// Package grid has browsers from a Selenium Grid 4: a [Grid] asks for a WebDriver session,
// whose capability se:cdp is the address of its Chrome's DevTools, and Dial returns a wire
// to that.
//
// The grid starts the browser and ends it. A session is given back when its wire is closed.
// While the wire is open, a small WebDriver command is sent at intervals. It says that the
// session is in use: what is said over DevTools doesn't count for the grid, which ends
// sessions that nobody uses for its --session-timeout. So it does with those of a process that
// was killed. And its answer tells when the browser has ended, after which a Grid (4.48) leaves
// the websocket open.
//
// Errors say nothing of the grid's user and query, nor of the headers. Functions may be
// called from any goroutine.
package grid
