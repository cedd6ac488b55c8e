// Package leases decides who gets which browser, and who waits. It is pure: no clock, no goroutine, no network.
//
// What is kept, by etcd or in memory, is a handful of entries (see [Entry]): members, one record for each browser that was
// granted, the requests that wait, whose turn it is, and who stands for election. Each process has a [Client], which
// follows all of them. A gateway's client puts its clients' requests, and the releases. The gateway that was elected
// leads: it grants leases to the requests (state.decide), refuses those that can't wait, and ends leases.
//
// A grant takes three transactions: the gateway puts the request, the leader puts the lease, and the gateway confirms it
// by taking the request out. A lease whose request is gone before, since its client or its gateway is, goes back at once.
//
// Each transaction of the leader demands that its key of the election is still there, and each that grants demands that
// it knows the grant before. So a leader that was deposed and doesn't know it changes nothing, and neither the quotas
// nor the order depend on clocks, or on how soon a message arrives.
//
// # Promises
//
// Of safety, held with each transaction:
//
//   - A lease has one holder: there is one record for each browser.
//   - A browser that was granted is not granted again before its node says that it has begun another life, even if the
//     node was away, or etcd lost what it held.
//   - A tenant holds no more than its quota.
//   - Nothing is granted on a node that is gone or leaving, and no browser that is [Unfit].
//   - A lease ends for a reason: it was released, its request was broken off while it was granted, it is too old
//     ([Quota]), nobody has used it for [Limits].Idle, its tenant is none any more, its browser has begun another life,
//     or its node was gone for [Limits].Absence.
//
// Of order, held by each decision:
//
//   - Within a tenant: first come, first served, among the requests that the browser fits.
//   - Among tenants: the one that holds least; of several, the one that was served, or came, longest ago. While the lines
//     of tenants are full, none waits more than twice as long as another.
//   - A tenant's line is bounded; a refusal says when to try again.
//
// And: once nothing fails any more, each request is answered, and none is left. Requests outlive the leader: the next one
// is elected once its session has ended, at once if it stops, or after 10 s if it hangs or dies.
//
// TestSafety and TestSafetyWithLoss hold clients to these in random orders of requests, releases, deliveries,
// half-heard transactions, broken watches, lost sessions, elections, crashes and restarts; TestDecide holds the decision
// to its order in random states; TestOverload measures the waits.
//
// # Not promised
//
// If etcd loses what it held, a tenant may exceed its quota by what is granted before all nodes are back; places in lines
// are taken anew; and what only etcd had seen is forgotten. A node that comes back for a moment only, while the leader's
// watch is broken, counts as gone all the time. Clocks of gateways are taken as they are. A lease that a gateway confirmed
// as it died is known to nobody, until it is idle for too long.
//
// The warm pool are the browsers that nodes keep [Ready]: they are granted first. How many a node keeps ready is its own
// affair.
package leases
