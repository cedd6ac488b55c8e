// Package finding is what a check finds, and the rules that say what it looks for: a
// [Rule] is one entry of a table, with its reason, a bad and a good example; a
// [Finding] says where a page breaks it. Both are plain values, which the rooms of
// package check make and its reports show.
//
// It imports the standard library only.
package finding
