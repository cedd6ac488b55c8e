// Package bench measures the hub as its users meet it: the real binary over
// real stdio pipes, on a real Chromium with real pages. Storms have a package of
// their own below.
//
//	go test -C bench -run '^$' -bench . .              every figure
//	go test -C bench -run '^$' -bench Call -count 6 .  one of them, for benchstat
//
// # What lives here
//
//	call_test.go      a call through the hub against a bare CDP websocket
//	extension_test.go a call by the browser's extension against one over CDP
//	bareway_test.go   the hub's end of the minimal extension in testdata/floor
//	live_test.go      a call with and without the live page, and somebody who looks at it
//	notify_test.go    from a page's registerTool to the client's list_changed
//	start_test.go     from the start of the process to its first answers
//	memory_test.go    resident memory at start and with many pages
//	storm_test.go     many pages that register and unregister without pause
//	chrome_test.go    the browser, its pages and the bare CDP client
//	hub_test.go       the hub as a process
//	inner_test.go     the hub inside the test, for profiles
//	client_test.go    the lean MCP client
//	samples_test.go   quantiles
//	storm/            scenarios of tool changes, on a fake Chrome and on a real one
//	cmd/storm/        the tool that runs them
//	cmd/figures/      the tool that measures the goals in docs/benchmarks.md
//	cluster/          nodes, gateways and etcd with a fleet of fake Chromes, when things break
//	cmd/cluster/      the tool that runs its scenarios
//	machine/          which machine it is, and what processes take
//	peers/            the tool that measures the hub beside other MCP servers
//
// # Promises
//
// Each benchmark says in its first comment what it measures, checks what it
// got, and reports by b.ReportMetric. The clients are as thin as can be, so that
// a figure is the hub's and Chrome's and not the client's. What is compared runs in
// turns in one run on the same Chrome. docs/benchmarks.md has the figures.
//
// # Concurrency
//
// Clients here are synchronous: the goroutine that sends reads the answer too,
// so that no figure contains a hand-over between goroutines of the client.
package bench
