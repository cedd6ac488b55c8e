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
// It is pure: values without identity, which any goroutine may encode and decode.
package wire
