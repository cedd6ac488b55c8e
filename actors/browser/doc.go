// Package browser finds a Chrome on a debugging port, stays connected to it, and reports which tabs it has.
//
// Its one [Actor] dials Chrome, and dials again after each loss. Chrome tells it about page targets, and it takes up
// a tab for each. It owns no tab's session: the tab (with package cdp as its link) attaches to its page and detaches
// from it. The Actor says which pages are wanted. Package supervisor has what the Actor has in common with the
// supervisor of the extensions' tabs.
package browser
