// Package schemas reads JSON Schemas that pages wrote: it compiles them ([Compile]), with
// patterns as JavaScript has them ([Pattern]), and holds values against them
// ([Schema.Validate]).
//
// A page's schema may be made to cost its reader all time and memory. One that is larger
// than schemas for agents are is an error here ([ErrLarge]), and what can't be bounded
// beforehand is given up when a context ends.
package schemas
