// Package cluster is the folder of what makes one MCP endpoint of many machines' browsers.
// It holds no code itself.
//
//	client ── gateway ──┬── node ── its browsers
//	          gateway ──┼── node ── its browsers
//	                    └── etcd: who is there, who has which browser
//
// A node (cluster/node) is a hub beside its browsers: their tabs' actors and a registry of its own.
// A gateway (cluster/gateway) has what all nodes offer, and serves MCP. What lies between them:
//
//   - wire: the messages, and their encoding;
//   - link: how they travel: the streams of protoactor's remote, by TLS with both sides' certificates;
//   - replica: how a gateway comes to know what a node's pages offer; pure;
//   - allot: who gets which browser, and who waits; pure;
//   - etcd: keeps membership, leases and queues where every gateway sees the same;
//   - certs: the certificates, made for trying, and read again when they change.
//
// # Promises
//
// What a gateway lists is what nodes' pages offer, within one flush interval of the node, the way
// between them, and one of the gateway. A call reaches the document that its caller saw, or is
// refused. What a node withdrew is never called. A lease has one holder. A node can't speak for
// another's pages. Losing a process, a connection or etcd takes what hung on it, and nothing else.
//
// # Not promised
//
// Tabs don't move between nodes: a browser belongs to the node that runs it, and ends with it.
package cluster
