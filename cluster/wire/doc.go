// Package wire has the messages between gateways and nodes, and their encoding.
//
// A message is a JSON object, {"kind": …, "body": …}. Readers pass over fields and kinds
// ([ErrUnknownKind]) that they don't know, so that builds of neighbouring versions understand each
// other. [Hello] and [Welcome] agree on the version of the protocol.
//
// Messages between two processes arrive in order or not at all: when one is lost, so are all that
// follow, until the link is made anew. Whoever sends a message that must have an effect awaits the
// answer.
//
// # Memory
//
// A message has at most 64 MiB (cluster/link). As JSON, 2 bytes of it can become a [Tool] of some 300, so
// that 4 MiB took 2.1 GiB to decode. So elements of arrays are counted before anything is decoded, but for those in
// fields that stay raw JSON; sixteen members of objects count as one element. A message with more than 262,144, twice
// what a node's pages may have, is refused, and the link is ended. With as many as that, a message of 64 MiB takes a
// heap of 440 MiB, all copies of it included (BenchmarkHostile). Messages of kinds that say little have at most 1 MiB.
//
// It is pure: values without identity, which any goroutine may encode and decode.
package wire
