// Package cluster is the folder of what makes one MCP endpoint of many machines' browsers.
// It holds no code itself.
//
//	client ── gateway ──┬── node ── its browsers
//	          gateway ──┼── node ── its browsers
//	                    └── etcd: who is there, who has which browser
//
// A node (cluster/node) is a hub beside its browsers: their tabs' actors and a registry of its own.
// A gateway (cluster/gateway) has what all nodes offer, and serves MCP. It dials nodes; nodes dial etcd alone.
// Operators ask nodes how they are, and to leave (the service Admin). What lies between them:
//
//   - api: the gRPC services of a node, in one .proto;
//   - transport: what both sides share of gRPC: TLS with a certificate on each side, who calls whom, limits;
//   - pages: how a gateway comes to know what a node's pages offer: snapshots and differences; pure;
//   - leases: who gets which browser, and who waits: the elected leader decides. What decides is pure;
//   - etcd: keeps membership, leases and queues where every gateway sees the same;
//   - automate: the browser tools and tabs that people watch, a node's side and a gateway's;
//   - certs: reads the certificates, again when they change, and makes a set for trying;
//   - names: the rule for names of nodes and gateways;
//   - mailbox: the bounded queue before each of their goroutines that owns something.
//
// # Promises
//
// What a gateway lists is what nodes' pages offer, later by at most one flush interval of the node,
// the way between them, and one flush interval of the gateway. A call reaches the document that its
// caller saw, or is refused. What a node withdrew is never called. A lease has one holder. A node
// can't speak for another's pages. Losing a process, a connection or etcd takes what hung on it, and
// nothing else.
//
// # Not promised
//
// Tabs don't move between nodes: a browser belongs to the node that runs it, and ends with it.
package cluster
