// Package proctest starts processes for tests and measurements, freezes and kills them, and reads what they take from
// /proc. It knows how to start etcd.
//
// # Concurrency
//
// A [Process]'s methods may be called from any goroutine.
package proctest
