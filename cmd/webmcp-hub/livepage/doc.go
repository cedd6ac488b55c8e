// Package livepage serves the live page, as the flag --ui asks for, for a hub or for the tenants of a gateway. It
// connects the page to the hub (pictures of tabs, taking tabs over, calls by a person). It also finds the live pages
// that are served on this computer, and has the command that opens one.
package livepage
