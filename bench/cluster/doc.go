// Package cluster shows what a cluster of nodes and gateways does at scale and when things break:
// real processes of webmcp-hub-cluster and of etcd, a fleet of fake Chromes, and MCP clients over
// HTTP. The command bench/cmd/cluster is made of it.
//
//	make cluster                      every scenario, as large as by default
//	make cluster SCENARIO=kill-node   one of them
//
// # What lives here
//
//	scenarios.go  the table of scenarios, and how large they are
//	report.go     what a scenario found: figures and failures
//	cluster.go    the cluster: its processes and how they are reached
//	commands.go   the command lines of its processes
//	view.go       what one client of a gateway has listed, kept new
//	load.go       calls that are made all the time, and how they ended
//	outage.go     which nodes and gateways were away, so that calls of theirs may fail
//	leases.go     browsers that clients acquire and release
//	churn.go      clients that do so all the time
//	tenants.go    the file of --tenants
//	*_scenario.go one kind of scenario each
//
// # Promises
//
// A scenario fails if what it saw isn't what the cluster promises: each has a failure for
// whatever it checks, and a bound in time. Nothing is measured that isn't checked, too.
//
// # Concurrency
//
// A scenario has the machine to itself: run one at a time.
package cluster
