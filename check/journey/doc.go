// Package journey reads what is to be done with pages, step by step, and says whether what
// came of it is what was expected: files of steps over one or more tabs, in YAML or JSON,
// and the evals.json of webmcp-evals, unedited. [Evals] writes that format.
//
// Expected values may have matchers ([Match]): $pattern, $contains, $gt, $gte, $lt, $lte,
// $type and $any. Everything here is pure; package check carries the steps out.
package journey
