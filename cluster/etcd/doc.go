// Package etcd keeps the state of a cluster in etcd: membership, leases, lines. It is a
// [store.Keeper]; what is kept, and by which transactions it changes, is allot's.
//
// All keys are below /webmcp-hub/CLUSTER/. The keeper lists them, and watches from the revision of the list
// on; after a compaction, or whatever else ends the watch, it lists anew. Its session is a lease of its own
// at etcd; when that lapses it gets another one, and the desk puts its members and tickets again,
// under the same names. Nobody is shut out for having been slow.
//
// # What etcd's loss means
//
// What etcd holds can be lost. While it is frozen, dead or without a leader, the last picture stays,
// and says so; leases hold on; new wishes wait, are told why, and end by their own bound. When it comes back
// empty, which the key "epoch" tells, nodes put back the leases of their browsers in the
// transaction by which they join, so that nobody sees as free what isn't; gateways put back what
// no node has. Places in lines are taken anew. A tenant may hold more than its quota by what was given
// before all nodes have come back.
package etcd
