// Package browsers knows the browsers of a hub: what they are called where there are
// several, which of them are connected, and which ones an agent means.
//
// A hub with one browser gives it no name: [Named] is for those of a hub that is told of
// several, and [Extension] is then what the browsers are called that come by their
// extension. A [Standing] is immutable; any goroutine may read it.
//
// The package is pure and imports the standard library only. Who reaches a browser, and
// how, is no matter of it.
package browsers
