// Package supervisor holds what the actors that keep tabs have in common: that of the
// browser on the debugging port, and that of browsers with the extension.
//
// A supervisor owns connections to browsers. It says which tabs these have, starts an
// actor for each tab and ends it, replaces one that failed, carries out what callers
// ask of browsers, and ends when nothing that it began is left behind. How a browser is
// spoken to is the supervisor's own business, and how a page is, its tab's ([tab.Link]).
package supervisor
