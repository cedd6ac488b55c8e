// Package grid gets browsers from a Selenium Grid 4. A [Grid] asks for a WebDriver session, whose capability se:cdp
// is the address of its Chrome's DevTools, and Dial returns a wire to that.
//
// The grid starts the browser and ends it. Closing the wire ends the session. While the wire is open, the package
// sends a small WebDriver command at intervals, for two reasons. First, the grid ends sessions that are unused for its
// --session-timeout, and DevTools messages don't count as use. (So it also ends the sessions of a killed process.)
// Second, the answer says when the browser has ended; a Grid (4.48) then leaves the websocket open.
//
// Errors contain neither the grid's user and query nor the headers. Functions may be called from any goroutine.
package grid
