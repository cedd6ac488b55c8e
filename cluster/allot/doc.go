// Package allot decides who gets which browser, and who waits. It is pure: no clock, no goroutine,
// no network.
package allot
