// Package cdptest is a fake Chrome, for tests and for storms at scale.
//
//	b := cdptest.New()
//	conn := cdpclient.NewConn(b.Connect(), inbox)
//	p := b.OpenPage("http://shop.test/")
//	p.Register(cdptest.Tool{Name: "add", Execute: func(ctx context.Context, args json.RawMessage) (any, error) { … }})
//	p.Navigate("http://shop.test/cart")
//
// # What lives here
//
// The part of the DevTools protocol that the hub uses: targets and flat
// sessions, frames and documents, execution contexts, the bridge's binding, and
// the WebMCP domain. Events come in the order in which Chromium 156 sends them;
// parity_test.go runs the same scenarios over both and compares.
//
// # Promises
//
// No time, no I/O and no goroutine at rest: a command is answered within the
// writer's call of [cdpclient.Wire].Write, so a fake browser works inside
// testing/synctest and thousands of pages cost only memory. Goroutines exist
// while a tool runs, while [Page.SetLatency] delays a command, and per
// connection of [Browser.Handler]. [Browser.Die] ends all of them, if tools obey
// their context.
//
// # Concurrency
//
// Everything may be called from any goroutine, also from within a tool. One
// lock guards the whole browser.
//
// # Scripts
//
// decodes the scripts that hubs install in the fake Chrome, each once.
//
// Hubs send the same few scripts for each document of each test, some ten thousand characters a
// document. Under the race detector decoding them anew took 40 % of the processor time of tests of
// hubs. Any goroutine may call it; what is remembered is for the whole process, and bounded.
package cdptest
