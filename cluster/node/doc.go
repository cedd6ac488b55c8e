// Package node runs a hub next to its browsers. Gateways offer the browsers' pages to their clients.
//
// A [Node] runs an [actors.Hub] for several browsers, and serves cluster/api: it sends what the pages offer to every
// gateway that watches, and carries out the gateways' requests. It dials only etcd.
//
// # Promises
//
//   - A call reaches exactly the tool that its gateway named by the digest of the definition, or it is refused with
//     the reason. The tab's actor compares the definitions once more when it calls the tool.
//   - Every request has one outcome: its result, or the reason why there is none. A cancelled request has one, too.
//   - Everything that a gateway has begun here ends when the gateway's connection is lost, and when another process
//     with the same name watches. From then on the node serves that process, and never the first one again.
//   - While a gateway can't take more messages, the node sends later changes together. A gateway that comes back
//     within a minute gets only what differs from what it has.
//   - A page can ask only the agent whose call it is carrying out, through the gateway that called. It can ask nobody
//     while calls of several tenants or gateways run in the same document.
//   - A browser tool sees the browsers that its caller's tenant sees, and no others. Whatever browser tools keep for a
//     client ends with the client, with its gateway's incarnation, or a minute after the gateway was lost.
//   - A node sends the pictures of a tab one at a time, each when its gateway asks for it, and only while the
//     gateway's request to watch the tab lasts. The tab must be in the browser that the gateway named, and the
//     browser in the life that the gateway named.
//   - A node that leaves opens no new tabs, lets calls end, and stops after a bounded time.
//   - The node ends a browser of its own ([Browser].Own), with all that it holds, and starts it again for the next
//     holder, and also when it no longer answers. A browser to which the node only attaches belongs to its user, and
//     is never lent.
//
// # Concurrency
//
// One goroutine (run) owns the list of gateways and their running requests. It never waits. The goroutines of streams
// carry out the requests, and tell run when a request begins and ends. Only a stream's own goroutine writes to the
// stream. One more goroutine manages the browsers. Any goroutine may call [Node]'s methods.
package node
