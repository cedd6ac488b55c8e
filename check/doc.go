// Package check is "webmcp-hub check": it looks at pages with WebMCP tools and says what
// their authors should mend. [Run] opens each page in a Chrome (package watch), holds what
// it sees against the rules (package lint), against a lock file (package contract) and,
// if it is asked to, calls the tools with inputs made from their schemas (package smoke).
// What was found becomes a report (package report).
//
// The rooms that judge are pure; only this package and package watch reach a browser.
package check
