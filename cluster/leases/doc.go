// Package leases decides who gets which browser, and who waits. A [Client] decides. It is pure: it has no clock, no
// goroutine and no network. A [Store] runs a Client with a clock, timers, goroutines and a mutex. A [Backend] (etcd,
// or memory in tests) keeps the cluster's entries, and carries out the transactions that Clients want.
//
// There are few kinds of entries (see [Entry]): members, one record for each granted browser, the waiting requests,
// the number of the last grant, and the candidates of the election. Each process has a Client, which follows all
// entries. A gateway's Client writes the requests and releases of the gateway's clients. The elected gateway is the
// leader: it grants leases to requests (state.decide), refuses requests that can't wait, and ends leases.
//
// A grant takes three transactions: the gateway puts the request, the leader puts the lease, and the gateway deletes
// the request, which confirms the lease. If the request ends before the gateway confirms the lease, because the client
// or the gateway is gone, the lease ends at once.
//
// Each transaction of the leader compares the revision of its election key. Each transaction that grants also compares
// the number of the last grant. So a leader that has lost an election without noticing it changes nothing, and neither
// quotas nor order depend on clocks or on how soon a message arrives.
//
// # Promises
//
// Safety, in each transaction:
//
//   - A lease has one holder: there is one record for each browser.
//   - A browser that was granted is not granted again before its node says that the browser has begun another life,
//     even if the node was away, or etcd lost its data.
//   - A tenant holds no more browsers than its quota allows.
//   - The leader grants no browser of a node that is gone or leaving, and no browser that is [Unfit].
//   - A lease ends only for one of these reasons: the tenant released it, its request ended before the gateway
//     confirmed the lease, it is too old ([Quota]), nobody has used it for [Limits].Idle, its tenant was removed,
//     its browser has begun another life, or its node was gone for [Limits].Absence.
//
// Order, in each decision:
//
//   - Among the requests of one tenant: of those that the browser fits, the one that came first.
//   - Among tenants: the one that holds the fewest browsers. Of several such tenants, the one that has waited
//     longest since its last grant, or since its request came. While the queues of all tenants are full, no tenant
//     waits more than twice as long as another.
//   - The queue of a tenant's requests (its line) is bounded. A refusal says when to try again.
//
// Once failures stop, every request gets an answer. Requests outlive the leader. The next leader is elected when the
// session of the old one has ended: at once if the old leader stops, and after 5 s if it hangs or dies.
//
// TestSafety and TestSafetyWithLoss check these promises in random orders of requests, releases, deliveries,
// transactions whose answer is lost, broken watches, lost sessions, elections, crashes and restarts. TestDecide checks
// the order of decisions in random states. TestOverload measures how long requests wait.
//
// # Not promised
//
// If etcd loses its data, a tenant may exceed its quota by the browsers that are granted before all nodes are back.
// Requests get new places in the queues, and changes that no process had seen yet are forgotten. If a node comes back
// only for a moment, while the leader's watch is broken, the node counts as gone all the time. The package trusts
// gateways' clocks. If a gateway dies while it confirms a lease, nobody knows of the lease, and [Limits].Idle ends it.
package leases
