// Package etcdtest runs real etcds for tests: on free loopback ports, with their data in the test's
// folder, to be frozen, killed, emptied and started again.
package etcdtest
