// Package journey reads what is to be done with pages, step by step, and says whether the results are those expected.
// It reads files of steps over one or more tabs, in YAML or JSON, and the evals.json of webmcp-evals, unedited. [Evals]
// writes that format.
//
// Expected values may have matchers ([Match]): $pattern, $contains, $gt, $gte, $lt, $lte, $type and $any. Package check
// carries the steps out.
//
// [FromRecording] makes a journey of a recorded session, and says which tools were called. A recording has the hub's
// names of tools; a journey has the page's, as far as the hub's names tell them.
//
// Everything here is pure.
package journey
