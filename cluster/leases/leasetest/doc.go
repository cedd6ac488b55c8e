// Package leasetest holds every [leases.Store] to the same tests, and has one in memory for the tests of others.
package leasetest
