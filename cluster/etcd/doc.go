// Package etcd keeps the state of a cluster in etcd: membership, leases, lines. It is a
// [leases.Backend]; what is kept, and by which transactions it changes, is decided by leases.
//
// All keys are below /webmcp-hub/CLUSTER/. The backend lists them, and watches from the list's revision
// on; when the watch ends, by a compaction or whatever else, it lists anew. Its session is an etcd
// lease; when that lapses it gets another one, and the client puts its members and requests again, under
// the same names. Nobody is shut out for having been slow. A member that was never there waits while
// another process lives under its name: its key is put only if there is none of another incarnation.
// A candidate in the election has a session of its own.
//
// # What etcd's loss means
//
// Of several members one may hang. Each second all are asked; one that is silent for 1.5 s while
// another answers is hung up on. What waited on that connection goes elsewhere: the watch goes on from
// where it was, the session is renewed before it lapses if its TTL is 5 s or more (it is 10 s, and 5 s
// for the election), and transactions are tried again by the client. A member that takes the next
// connection, but goes on being slow, is hung up on less and less often: after 10 s, 20 s and so on, up
// to 5 minutes. If such a one freezes meanwhile, gRPC notices after 13 s.
//
// While etcd is frozen, dead or without a leader, the last snapshot stays, and says that it may be out
// of date; leases hold on; new requests wait, are told why, and end by their own bound.
//
// What etcd holds can be lost. When it comes back empty, which the key "epoch" tells, nodes put back
// the leases of their browsers in the transaction by which they join, so that nobody sees as free
// what isn't. Places in lines are taken anew. A tenant may exceed
// its quota by what is given before all nodes have come back.
package etcd
