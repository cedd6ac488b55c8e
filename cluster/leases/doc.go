// Package leases decides who gets which browser, and who waits. A [Client], which decides, is pure: no clock, no
// goroutine, no network. The [Store] that [Open] gives is not: it runs a Client, with a clock, timers, goroutines and a
// mutex, and carries out by a [Backend] what the Client wants.
//
// The store (etcd, or memory in tests) keeps few kinds of entries (see [Entry]): members, one record for each granted
// browser, the waiting requests, the number of the last grant, and the candidates of the election. Each process has a
// [Client], which watches all of them. A gateway's Client writes its clients' requests and releases. The elected
// gateway is the leader: it grants leases to requests (state.decide), refuses requests that can't wait, and ends
// leases.
//
// A grant takes three transactions: the gateway puts the request, the leader puts the lease, and the gateway confirms
// it by deleting the request. If the request is gone before that, because its client or its gateway is, the lease
// ends at once.
//
// Each transaction of the leader compares the revision of its election key, and each that grants also compares the
// number of the last grant. So a deposed leader that hasn't noticed changes nothing, and neither quotas nor order
// depend on clocks or on how soon a message arrives.
//
// # Promises
//
// Safety, in each transaction:
//
//   - A lease has one holder: there is one record for each browser.
//   - A browser that was granted is not granted again before its node says that it has begun another life, even if the
//     node was away, or etcd lost what it held.
//   - A tenant holds no more than its quota.
//   - Nothing is granted on a node that is gone or leaving, and no browser that is [Unfit].
//   - A lease ends for a reason: it was released, its request was broken off while it was granted, it is too old
//     ([Quota]), nobody has used it for [Limits].Idle, its tenant was removed, its browser has begun another life,
//     or its node was gone for [Limits].Absence.
//
// Order, in each decision:
//
//   - Within a tenant: first come, first served, among the requests that the browser fits.
//   - Among tenants: the one that holds least; of several, the one that was served, or came, longest ago. While the lines
//     of tenants are full, none waits more than twice as long as another.
//   - A tenant's line is bounded; a refusal says when to try again.
//
// Once failures stop, every request is answered. Requests outlive the leader: the next one is elected once its
// session has ended, at once if it stops, or after 5 s if it hangs or dies.
//
// TestSafety and TestSafetyWithLoss hold clients to these in random orders of requests, releases, deliveries,
// half-heard transactions, broken watches, lost sessions, elections, crashes and restarts; TestDecide holds the
// decision to its order in random states; TestOverload measures the waits.
//
// # Not promised
//
// If etcd loses what it held, a tenant may exceed its quota by what is granted before all nodes are back; places in
// lines are taken anew; and what only etcd had seen is forgotten. A node that comes back for a moment only, while the
// leader's watch is broken, counts as gone all the time. Gateways' clocks are trusted. A lease that a gateway
// confirmed as it died is known to nobody; the idle bound ends it.
package leases
