// Package link carries messages (cluster/wire) between gateways and nodes.
//
// A gateway begins a link by its first [Link.Send] to a node: it dials the node, and the node dials
// the gateway back at the address that the gateway tells. Each of the two streams goes one way, and
// the end of either is the end of both: [Options].Lost is called, what was on the way is gone, and
// the gateway's next message begins a new link. Within a link messages arrive in order and none is
// missing. Each side gives a sign of life several times within the time of silence, so that a peer
// that hangs, or a network that carries nothing any more, even in one direction, is noticed by both.
//
// # What is spoken
//
// The streams are those of protoactor's remote: its gRPC service, its messages, PIDs as names (an
// actor "node/a" speaks to an actor "gateway/g"), each payload a BytesValue. remote.Remote itself,
// which would serve and dial, is not used, because it can't do what is needed here:
//
//   - Remote.Start sets gRPC's global logger, which all gRPC goroutines of the process read: a data
//     race as soon as there is a second one, or etcd's client. No option prevents it.
//   - Its writer sleeps 2 s after each failed try, in the goroutine that would send.
//   - Its queues have no bound, and its shutdown leaves goroutines or panics on a closed channel.
//   - What a peer sends is an order: a PID of another address is relayed to, a system message stops
//     an actor, an index beyond an end panics, and so do two of the service's methods.
//
// # Who is who
//
// With TLS each side proves its role and name by its certificate (cluster/certs). A stream is ended
// if what comes by it is said in another's name, or meant for another process. Without TLS nothing
// leaves the machine, and names are taken on trust.
package link
