// Package store runs an [allot.Desk] over whatever keeps its entries: the [allot.Store] of this
// process. One goroutine owns the desk; transactions run in goroutines of their own and come back
// as events.
package store
