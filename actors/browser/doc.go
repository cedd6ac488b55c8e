// Package browser connects to a Chrome over CDP, by a port or a pipe, stays connected, and reports which tabs it has.
//
// Its one [Actor] dials Chrome by its [Dialer], and dials again, with back-off, after each loss. Chrome announces page
// targets, and the Actor takes up a tab for each. The Actor owns no tab's session: the tab (with package cdp as its
// link) attaches to its page and detaches from it. The Actor says which pages are wanted. Package supervisor is the
// shared base of this Actor and of the one in package extbrowser.
package browser
