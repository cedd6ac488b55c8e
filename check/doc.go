// Package check is "webmcp-hub check": it looks at pages with WebMCP tools and says what their authors should mend.
//
// [Run] opens each page in a Chrome (package probe), and compares what it sees with the rules (package lint) and with
// a lock file (package contract). If it is asked to, it calls the tools, either with inputs made from their schemas
// (package smoke), or as a file of steps or a recorded session says (package journey). Package report writes what was
// found, and which tools the journeys called. [Settings] and a [Baseline] say which findings count.
//
// Only package probe connects to a browser; this package tells it what to do. The other packages are pure.
package check
