// Package livepage serves the live page as the flag --ui asks for it, for a hub or for the tenants of a gateway. It has
// what the page needs of the hub (pictures of tabs, taking them over, calls that a person makes), finds the pages that
// are served on this computer, and has the command that opens one.
package livepage
