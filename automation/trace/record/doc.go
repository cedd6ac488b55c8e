// Package record makes performance traces of a page, keeps them, and has Chrome's own engine analyze them.
//
// # What lives here
//
//   - [Start] and [Recording.Stop]: a trace from its beginning to a file;
//   - [Shelf]: the last traces with their reports, and their comparison;
//   - [Engine]: Chrome's own trace engine.
//
// # Recording
//
// Tracing is started on the tab's own session, because only then does Chrome say which frames are the tab's. It covers
// the whole browser all the same, and only one trace at a time can be recorded, the user's own DevTools included. The
// trace comes as a compressed stream and is written to a temporary file as it is, whatever its length.
//
// A recording that stops by itself ends when the page has loaded and its network has been quiet for half a second, or
// [quietMost] after the load. There is no fixed wait.
//
// # The engine
//
// Chrome bundles the engine of its Performance panel with DevTools. [OpenEngine] makes a hidden target of a bundled
// resource (its type is "other": no window shows it, and it is no tab) and imports the engine there. So the hub ships no
// engine, and the engine is that of the Chrome that made the trace; it works headless, too. Chrome may change the
// engine's interface, so OpenEngine tries what it will use, and fails with [ErrNoEngine] and the reason; package trace
// does without. Nothing of a trace is sent anywhere: field data of the Chrome UX Report is not asked for.
package record
