// Package endings has the results by which calls end without a word from their tool:
// the page was closed, the connection was lost, a dialog is open. Each tells the
// agent what happened, what that means for the call, and what to do.
//
// Its functions may be called from any goroutine. It imports the standard library,
// registry/advice and registry/sanitize only.
package endings
