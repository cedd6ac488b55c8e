// Package record records performance traces of a page, keeps them, and lets Chrome's own engine analyze them.
//
// # What lives here
//
//   - [Start] and [Recording.Stop] record a trace to a file.
//   - [Traces] keeps the last traces with their reports, and compares them.
//   - [Engine] is Chrome's own trace engine.
//
// # Recording
//
// Tracing is started on the tab's own session, because only then does Chrome report which frames belong to the tab.
// The trace covers the whole browser nevertheless. Only one trace at a time can be recorded, including those of the
// user's own DevTools. The trace comes as a compressed stream and is written to a temporary file as it is, whatever
// its length.
//
// A recording of a load that stops by itself ends when the page has loaded and its network has been quiet for half a
// second, or [quietMost] after the load. Without a load, it lasts for quietMost.
//
// # The engine
//
// Chrome bundles the engine of its Performance panel with DevTools. [OpenEngine] opens a hidden target on a bundled
// resource (its type is "other": it has no window and is no tab) and imports the engine there. So the hub ships no
// engine, and the engine is that of the Chrome that made the trace. It works headless, too. Chrome may change the
// engine's interface, so OpenEngine tries what it will use. If that fails, it returns [ErrNoEngine] with the reason,
// and only package trace analyzes the trace. Nothing of a trace is sent anywhere: field data of the Chrome UX Report
// is not requested.
package record
