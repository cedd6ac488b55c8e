// Package cluster is the folder of the packages that make one MCP endpoint of many computers' browsers. It holds no
// code itself.
//
//	client ── gateway ──┬── node ── its browsers
//	          gateway ──┼── node ── its browsers
//	                    └── etcd: which processes there are, and which tenant has which browser
//
// A node (cluster/node) is a hub beside its browsers, with the actors of their tabs and a registry of its own. A
// gateway (cluster/gateway) knows what all nodes offer, and serves MCP. Gateways dial nodes and etcd; nodes dial only
// etcd. Operators ask nodes how they are, and to leave (the service Admin). The other packages:
//
//   - api: the gRPC services of a node, in one .proto;
//   - transport: the parts of gRPC that both sides share: TLS with a certificate on each side, who calls whom,
//     limits;
//   - pages: tells a gateway what a node's pages offer, by snapshots and differences; pure;
//   - leases: who gets which browser, and who waits. The elected leader decides; the deciding part is pure;
//   - etcd: keeps members, leases and requests where every process sees the same;
//   - automate: browser tools, and tabs that people watch; a node's side and a gateway's side;
//   - certs: reads the certificates, also when they have changed, and makes a set for trying;
//   - names: the rule for the names of nodes and gateways;
//   - mailbox: the bounded queue for a goroutine that owns something.
//
// # Promises
//
//   - A gateway lists what nodes' pages offer. A change takes at most one flush interval of the node, the time on
//     the network, and one flush interval of the gateway.
//   - A call reaches the document that its caller saw, or it is refused. A tool that the node has withdrawn is never
//     called.
//   - A lease has one holder.
//   - A node can't speak for another node's pages.
//   - The loss of a process, a connection or etcd ends only what depends on it.
//
// # Not promised
//
// Tabs don't move between nodes: a browser belongs to the node that runs it, and ends with the node.
package cluster
