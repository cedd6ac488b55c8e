// Package settings says which findings of a check count: [Settings] are read from .webmcp-check.yaml, which changes or
// silences rules, and a [Baseline] has the findings that were there before.
//
// All of it is pure.
package settings
