// Package leasetest has a [leases.Store] in memory, for tests, and nodes and requests to try one with.
package leasetest
