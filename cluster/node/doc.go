// Package node is a hub beside its browsers. Gateways offer the browsers' pages to their clients.
//
// A [Node] runs an [actors.Hub] for several browsers, and serves cluster/api: it sends every gateway that watches what
// the pages offer, and carries out what gateways ask of the pages. It dials only etcd.
//
// # What is promised
//
//   - A call reaches exactly the tool that its gateway named by the digest of the definition, or it is refused with
//     the reason. The tab's actor compares the definitions once more when it calls the tool.
//   - Every request has one outcome: its result, or the reason why there is none. A cancelled request has one, too.
//   - Everything that a gateway has begun here ends with the gateway: when its connection is lost, and when another
//     process with the same name watches. From then on the node serves that process, and never the first one again.
//   - While a gateway can't take more messages, the node sends later changes together. A gateway that comes back
//     within a minute gets only what differs from what it has.
//   - A page can ask only the agent whose call it is carrying out, by the gateway that called. It can ask nobody
//     while calls of several tenants or gateways run in the same document.
//   - A browser tool sees the browsers that its caller's tenant sees, and no other. Whatever a client has by browser
//     tools ends with the client, with its gateway's incarnation, or a minute after the gateway was lost.
//   - A node sends the pictures of a tab one at a time, each when its gateway asks for it, and only while the
//     gateway's request to watch the tab lasts. The tab is of the browser, and the browser is in the life, that the
//     gateway named.
//   - A node that leaves takes no new tabs, lets calls end, and goes after a bounded time.
//   - A browser of the node's own ([Browser].Own) is ended with all that it holds and started again for its next
//     holder, and also when it no longer answers. A browser to which the node only attaches is its user's, and is
//     never lent.
//
// # Concurrency
//
// One goroutine (run) owns the list of gateways, and of what they have begun here. It never waits. The goroutines of
// streams carry out the requests, and tell run when they begin and end. Only a stream's own goroutine writes to the
// stream. One more goroutine looks after the browsers. Any goroutine may call [Node]'s methods.
package node
