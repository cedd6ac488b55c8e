// Package fleet has hundreds of fake Chromes behind one loopback port, each with one page of
// tools, for nodes of a cluster in processes of their own.
//
//	f, err := fleet.Open(1000, 20)
//	node --ws-endpoint f.Endpoint(17) …
//
// # What pages have
//
// Browser i's page is k<i>: its tools are k<i>_echo, which says what it is told and by whom,
// k<i>_hold, which answers when [Fleet.Release] is called, and k<i>_t2 to k<i>_t<n-1>, which
// change in storms: each has its version in its description. No two browsers have a tool of
// the same name, so that any list can be held against [Fleet.Truth].
//
// # Concurrency
//
// Everything may be called from any goroutine, but for [Fleet.Storm], which one calls at a time.
package fleet
