// Package proxytest is a proxy between two processes of a cluster, for measurements. It counts the bytes that pass,
// and impairs the connection: cut, slow, or in one direction only.
//
// # Concurrency
//
// A [Proxy]'s methods may be called from any goroutine.
package proxytest
