// Package trace reads performance traces of Chrome and says how fast a page was.
//
// # What lives here
//
//   - [Read]: a stream of trace JSON, compressed or not, as events; only those that
//     somebody wants are decoded, so that a trace of any length is read in the memory
//     that one event takes;
//   - [Analyze]: the events as a [Report]: one [Set] for each navigation with its
//     vitals (LCP with its parts, FCP, CLS, INP, TBT, TTFB), long tasks and
//     [Insight]s;
//   - [Report.Text], [Insight.Text], [Compare]: texts for a model.
//
// # Which numbers
//
// Metrics and the states of insights are meant as Chrome's own DevTools compute them;
// tests hold both together on recorded traces. Estimated savings and the insights that
// need a simulated network or source maps are the engine's alone: package engine runs
// it in the browser that made the trace.
//
// # Words
//
// Insight sets and insights are called as chrome-devtools-mcp calls them:
// NAVIGATION_0, NO_NAVIGATION, LCPBreakdown. Times of events are microseconds of
// Chrome's clock; metrics are milliseconds since their navigation began.
//
// # Promises
//
// Pure: the standard library and registry/sanitize only, no goroutine, no clock. What
// is kept of a trace is bounded, whatever the trace holds.
package trace
