// Package leasetest holds every [leases.Store] to the same tests.
package leasetest
