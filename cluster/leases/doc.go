// Package leases decides who gets which browser, and who waits. It is pure: no clock, no goroutine,
// no network.
//
// What is kept, by etcd or in memory, is a handful of entries (see [Entry]): members, one record for
// each browser that was given, tickets of those who wait, and whose turn it is. Each process has a
// [Desk], which knows all of them. A gateway's desk puts tickets for its clients' wishes; all desks
// decide the same from the same entries (state.decide), and each gives its own tickets what is
// theirs. Every transaction that gives or ends leases changes the entry "turns", on the condition
// that this is still as the desk knew it: so they are decided one after another, each on the state
// that it changes. No desk has to trust another one, a clock, or that a message arrives.
//
// # Promises
//
// Of safety, held with each transaction:
//
//   - A lease has one holder: there is one record for each browser.
//   - A browser that was given is not given again before its node says that it has begun another
//     life, even if the node was away, or etcd lost what it held.
//   - A tenant holds no more than its quota.
//   - Nothing is given on a node that is gone or leaving, and no browser that is [Unfit].
//   - A lease ends for a reason: it was released, nobody waits for it any more, it is too old
//     ([Quota]), its tenant is none any more, or has been served by no gateway for [Limits].Unserved, its
//     browser has begun another life, or its node was gone for [Limits].Absence.
//
// Of order, held by each decision:
//
//   - Within a tenant: first come, first served, among the wishes that the browser fits.
//   - Among tenants: the one that holds least; of several, the one that was served, or came, longest
//     ago. While the lines of tenants are full, none waits more than twice as long as another.
//   - A tenant's line is bounded; a refusal says when to try again.
//
// And: once nothing fails any more, each wish is answered, and none leaves a ticket behind. A desk
// that hangs, with its ticket first in line, is passed over after two seconds.
//
// TestSafety and TestSafetyWithLoss hold desks to these in random orders of wishes, returns, deliveries,
// half-heard transactions, broken watches, lost sessions, crashes and restarts; TestDecide holds the
// decision to its order in random states; TestOverload measures the waits.
//
// # Not promised
//
// If etcd loses what it held, a tenant may exceed its quota by what is given before all nodes are
// back; places in lines are taken anew; and what only etcd had seen is forgotten. A node that comes
// back for a moment only, while gateways' watches are broken, counts as gone all the time. Clocks of
// gateways are taken as they are: a lease ends by the first clock that says so.
//
// The warm pool are the browsers that nodes keep [Ready]: they are given first. How many a node
// keeps ready is its own affair.
package leases
