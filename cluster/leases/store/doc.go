// Package store runs a [leases.Client] over whatever keeps its entries: the [leases.Store] of this process. A mutex
// guards the client; transactions run in goroutines of their own and come back as events.
package store
