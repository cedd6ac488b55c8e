// Package node is a hub beside its browsers, whose pages gateways offer to their clients.
//
// A [Node] runs an [actors.Hub] for several browsers, and serves cluster/api: it tells every gateway that watches what
// their pages offer, and carries out what gateways ask of them. It dials nobody but etcd.
//
// # What is promised
//
//   - A call reaches the very tool that its gateway named, by the digest of its definition, or is
//     refused with the reason. The tab's actor compares once more when it calls.
//   - Every request has one outcome: what came of it, or why nothing did. A cancelled one's, too.
//   - What a gateway has under way ends with it: when its connection is lost, and when another
//     one of its name watches. That one takes its place, once and for all: the first isn't served any more.
//   - While the way to a gateway is full, changes are told together. A gateway that comes back within a minute is told
//     what differs from what it has.
//   - A page asks something of the agent whose call it carries out, by the gateway that
//     called, and of nobody while calls of several tenants or gateways run in the same document.
//   - A browser tool sees what its caller's tenant does, and no other browser. What a client has by
//     such tools ends with it, with its gateway's life, or a minute after its gateway was lost.
//   - A tab's picture is sent where its gateway asks for it, and ends with the request to watch it: one at a time,
//     of the browser and the life of it that the gateway named.
//   - A node that leaves takes no new tabs, lets calls end, and goes after a bounded time.
//   - A browser of the node's own ([Browser].Own) is ended with all that it holds and started
//     afresh for its next holder, and when it no longer answers. One that the node only attaches
//     to is somebody's: it is never lent.
//
// # Concurrency
//
// One goroutine (run) owns who the gateways are and what they have under way. It never waits.
// Requests are carried out by the goroutines of their streams, which tell it when they begin and end. A stream is
// written to by its own goroutine alone. One further goroutine keeps the browsers. [Node]'s methods may be called from any goroutine.
package node
