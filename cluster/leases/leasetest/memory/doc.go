// Package memory keeps the state of a cluster in this process, for tests. No program uses it: a
// gateway that is given its nodes by --node has no store. It does as etcd does: transactions have
// conditions on revisions, keys go with their session, and every change is told in order.
package memory
