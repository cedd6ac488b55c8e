// Package e2e tests the whole of WebMCP Hub from outside: the built binary over
// stdio or HTTP on one side, a real Chromium with real pages on the other, and
// real MCP clients asking: mcp-go's, those of the official TypeScript and Go SDKs,
// the MCP Inspector's command line, and the official conformance suite, whose
// scenarios are listed in conformance_test.go with those that aren't run and why.
//
// It imports nothing of the hub's, so that it can only see what a user sees.
// Pages are in testdata/pages, one behaviour each; the page runtimes that sites
// use (@mcp-b/global 2.1.0 and 5.1.0) and what runs on Node come from npm.
//
// No test sleeps. Tests wait for what a client or a page can see: a
// notification, an answer, a note that the page left, the end of a process.
//
// The test of the cluster (cluster_test.go) starts an etcd, nodes and gateways, and has no Chromium of
// the pool: its nodes start two.
//
// The extension's tests load ../extension, against a scripted hub that is strict about the protocol (exthub_test.go) and against
// the real one.
//
// The tests that don't harm a Chromium borrow one from a pool (pool_test.go): with
// native WebMCP, without, both with the extension, and one with the extension as for
// automation. One test has it at a time, because a hub sees all tabs of its Chrome, and
// leaves it without tabs. So tests can run in parallel, and nearly all do, two for each
// processor and one more; serial are those that measure. What a test adds to its programs' environment is its own (setenv), and so are its ports (freePort), in
// env_test.go.
package e2e
