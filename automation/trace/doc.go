// Package trace reads performance traces of Chrome and says how fast a page was.
//
// # What lives here
//
//   - [Read] reads a stream of trace JSON, compressed or not, as events, in the memory that one event needs. Only of
//     events that somebody wants the arguments are decoded.
//   - [Analyze] makes a [Report] of the events: one [Set] for each navigation with its vitals (LCP with its parts,
//     FCP, CLS, INP, TBT, TTFB), long tasks and [Insight]s.
//   - [Report.Text], [Insight.Text] and [Compare] make texts for a model.
//
// # Which numbers
//
// Metrics and the states of insights mean what they mean in Chrome's own DevTools; tests compare both on recorded
// traces. Estimated savings, and insights that need a simulated network or source maps, come only from Chrome's
// engine, which package record runs in the browser that made the trace.
//
// # Words
//
// Insight sets and insights have the names of chrome-devtools-mcp: NAVIGATION_0, NO_NAVIGATION, LCPBreakdown. Times
// of events are microseconds of Chrome's clock. Metrics are milliseconds since their navigation began.
//
// # Promises
//
// The package is pure: it uses only the standard library and registry/sanitize, no goroutine and no clock. What it
// keeps of a trace is bounded, whatever the trace contains.
package trace
