// Package check is "webmcp-hub check": it looks at pages with WebMCP tools and says what
// their authors should mend. [Run] opens each page in a Chrome (package watch), holds what
// it sees (package seen) against the rules (package lint), against a lock file (package
// contract) and, if it is asked to, calls the tools with inputs made from their schemas
// (package smoke) or as a file of steps says (package journey). What was found (package
// finding) becomes a report (package report), with what the journeys called
// (package coverage). Package recorded makes a journey of a recorded session. Pages' schemas are read by package schemas.
//
// The rooms that judge are pure; only this package and package watch reach a browser.
package check
