// Package storm blows storms of tool changes at a hub and measures what comes
// of them. The tool bench/cmd/storm and the benchmarks BenchmarkScenario and
// BenchmarkBaseline are made of it.
//
//	r, err := storm.Run(ctx, scenario, storm.Options{})
//
// # What lives here
//
//	scenario.go       what happens: pages, changes, clients; the named ones
//	run.go            one scenario from its first page to its result
//	driver.go         what makes pages change, and what they should have
//	driver_fake.go    … in a fake Chrome (cdptest)
//	driver_chrome.go  … in a real one; page.html is its page, chrome_tabs.go
//	                  the way to the tabs
//	extension.go      how a real Chrome's extension is told of the hub
//	bare.go           a bare client in the place of hub and clients: what Chrome itself takes
//	client.go         MCP clients that read, read slowly, or never read
//	calls.go          calls, in quiet and during the storm
//	known.go          from a page's change to a client's knowledge of it
//	check.go          whether a list is right
//	measure.go        samples
//	report.go         the result
//
// The hub that is measured is run by package hubs, in this process or in one of its
// own.
//
// # How the time until a client knows is measured
//
// A page registers a tool whose name is a stamp, the time of its registration,
// and takes the stamp before it away. The first list that shows a page's stamp
// or a later one is the first by which the client knows what the page was when
// it stamped. Nothing else has to be noted for any of the other changes.
//
// # Promises
//
// A run fails, by Result.Failures, if an update is lost: at the end every client's
// list, as its last list_changed made it read it, must be what the pages say they
// have. Figures of the fake Chrome include what the fake, the pages and the clients
// cost, since all run in one process, unless Options.Apart gives the hub its own.
//
// A bare client's run has no lists; it fails if a page's last stamp does not come.
//
// # Concurrency
//
// [Run] may be called from one goroutine at a time: it reads the figures of the
// whole process. A program that runs scenarios must call [hubs.Child] first thing.
package storm
