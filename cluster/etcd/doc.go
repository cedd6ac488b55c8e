// Package etcd keeps the state of a cluster in etcd: members, leases, and requests for browsers. It is a
// [leases.Backend]. Package leases decides what is kept, and which transactions change it.
//
// All keys are below /webmcp-hub/CLUSTER/. The backend lists them, and watches from the list's revision on. When the
// watch ends, after a compaction or for another reason, the backend lists the keys again. The backend's session is an
// etcd lease. When the session lapses, the backend gets another one, and the [leases.Client] puts its members and
// requests again, under the same names. So a process that was slow for a while loses nothing. A new member waits while
// another process has its name: its key is put only if there is no key of another incarnation. A candidate in the
// election has a session of its own.
//
// # When etcd fails
//
// One of several members of etcd may hang. The backend asks all members each second. It closes the connection to a
// member that is silent for 1.5 s while another one answers. Whatever waited on that connection goes to another
// member: the watch continues at its revision, the session is renewed before it lapses if its TTL is 5 s or more (it
// is 10 s, and 5 s for the election), and the Client tries its transactions again. If a member accepts the next
// connection but stays slow, the backend closes its connections less and less often: after 10 s, 20 s and so on, up to
// 5 minutes. If such a member freezes meanwhile, gRPC notices it after 13 s.
//
// While etcd is frozen, dead or without a leader, the last snapshot stays valid, and says that it may be out of date.
// Leases stay. New requests wait, report the reason, and end after their own time limit.
//
// etcd can lose its data. The key "epoch" shows when etcd comes back empty. Then each node puts back the leases of its
// browsers, in the transaction by which it joins, so that no process sees a leased browser as free. Requests get new
// places in the queues. A tenant may exceed its quota by the browsers that are granted before all nodes have come
// back.
package etcd
