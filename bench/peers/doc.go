// Command peers measures the hub beside other MCP servers that reach web pages:
// chrome-devtools-mcp, @playwright/mcp and MCP-B's relay. It prints one Markdown
// table; docs/benchmarks.md has those of one day.
//
//	make peers                                # installs the others from npm, and measures pages' tools
//	make peers PEERS="-only relay,hub-mcpb -rounds 1"
//	make peers PEERS=-automation              # how servers operate pages that have no tools
//	make corpus                               # how their snapshots show other people's pages
//
// # What is compared
//
// All servers run in turns on one machine, each started as its README says and
// attached to the same Chromium, on the same page of ten tools (page.html). Each
// server gets the page that it can read: those that know Chrome's own WebMCP get
// that; the relay needs @mcp-b/global and a script of its own in the page, and a
// Chromium without WebMCP. So that it has something to be held against, the hub is
// measured there, too.
//
// # What lives here
//
//	main.go      flags; which servers are measured, and with what
//	peer.go      what a server is, and what an agent must do to reach a page by it
//	servers.go   the servers
//	session.go   a client of one server over stdio
//	chromium.go  the browser and its tabs, and the bare client of both
//	table.go     figures, medians and Markdown
//	tools.go     pages' tools: the rows, and how each is measured
//
// Of -automation, which measures the hub's browser tools beside chrome-devtools-mcp's and
// @playwright/mcp's:
//
//	automation.go  the rows, and one server, stage by stage
//	dialect.go     how each server is asked for the same thing
//	light.go       the pages that are operated
//	ops.go         how long an operation takes, with its proof; bareops.go the same without a server
//	crowd.go       many tabs at once; memory
//	hostile.go     pages on which success is easily claimed
//
// corpus.go has the servers take snapshots of the pages of automation/corpus.
//
// # Promises
//
// Each answer is checked: a wrong one ends the program with an error and is no
// figure. What a server can't do is a dash. Nothing is fetched while it runs.
//
// The figures are of one page on one machine, and say nothing of what these
// servers can do beyond it.
package main
