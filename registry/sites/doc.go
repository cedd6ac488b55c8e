// Package sites has the tools of sites, which MCP-B's names have besides those of tabs:
// which there are ([Table]), which tab a call of one goes to ([Choose]), and what of a
// tab's tools outlives it ([Cacheable]).
//
// registry feeds it: a [Table] is told which [Tab]s have changed, and knows no State and
// no catalog.
//
// A [Table] belongs to one goroutine; everything else is immutable, and may be read
// from any. It imports the standard library, registry/names and registry/offer only.
package sites
