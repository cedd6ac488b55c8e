// Command peers measures the hub beside other MCP servers that reach web pages:
// chrome-devtools-mcp, @playwright/mcp and MCP-B's relay. It prints one Markdown
// table; docs/benchmarks.md has one of them, with its date.
//
//	make peers                                # installs the others from npm, and measures
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
//	main.go      flags, rounds
//	figures.go   the rows of the table: what is measured, in which unit
//	measure.go   one server from its start to its end
//	peer.go      what a server is, and what an agent must do to reach a page by it
//	peers.go     the servers
//	verb.go      what an agent asks a server to do to a page, with the check of the answer
//	chromium.go  the browser and its tabs, and the bare client of both
//	table.go     medians and Markdown
//	server       a client of one server over stdio; its processes and what they take
//
// Of -automation, which measures the hub's browser tools beside chrome-devtools-mcp's and
// @playwright/mcp's:
//
//	corpus.go     snapshots of the pages of automation/corpus
//	automation.go  flags, the run
//	dialect.go     how each server is asked for the same thing
//	light.go       the pages that are operated
//	operate.go     one server, stage by stage
//	ops.go         how long an operation takes, with its proof; bareops.go the same without a server
//	crowd.go       many tabs at once; memory
//	spent.go       what processor time that takes the server and Chrome
//	hostile.go     pages on which success is easily claimed
//	agents.go      two agents of one server
//	behind.go      an agent behind the tab that a person looks at
//	texts.go       what tools/list and snapshots cost
//	operated.go    the rows of the table, and the plot
//
// To measure something more that agents do with pages' tools, add a verb (verb.go), say
// for each peer how it is asked for (peers.go), and add a row (figures.go).
//
// # Promises
//
// Each answer is checked: a wrong one ends the program with an error and is no
// figure. What a server can't do is a dash. Nothing is fetched while it runs.
//
// The figures are of one page on one machine, and say nothing of what these
// servers can do beyond it.
package main
