// Package check is "webmcp-hub check": it looks at pages with WebMCP tools and says what their authors should mend.
//
// [Run] opens each page in a Chrome (package probe), and holds what it sees against the rules (package lint) and against a
// lock file (package contract). If it is asked to, it calls the tools with inputs made from their schemas (package smoke),
// or as a file of steps or a recorded session says (package journey). Package report says what was found, and what the
// journeys called. [Settings] and a [Baseline] say which findings count.
//
// Only this package and package probe reach a browser; the others are pure.
package check
