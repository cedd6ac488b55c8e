// Package browser finds and keeps a Chrome on the debugging port, and tells which
// tabs it has.
//
// Its one [Actor] dials Chrome, again after each loss, is told of the page targets and
// takes up a tab for each. It owns no tab's session: the tab (package cdp is its link)
// attaches to its page and lets go of it; the actor says which pages are wanted. What it
// shares with the supervisor of the extension's tabs is package supervisor's.
package browser
