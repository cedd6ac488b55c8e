// Package memory keeps the state of a cluster in this process: for one gateway that knows its nodes
// by itself, and for tests. It holds to what etcd does: transactions with conditions on revisions,
// keys that go with their session, and every change told in order.
package memory
