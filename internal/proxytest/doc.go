// Package proxytest stands between two processes of a cluster that is measured, counts what passes,
// and breaks the way between them: cut, slow, or in one direction only.
//
// # Concurrency
//
// A [Proxy]'s methods may be called from any goroutine.
package proxytest
