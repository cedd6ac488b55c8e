// Package wire has the messages between gateways and nodes, and their encoding.
//
// A message is a JSON object, {"kind": …, "body": …}. Fields that a reader doesn't know are
// passed over, and so are kinds ([ErrUnknownKind]), so that builds of neighbouring versions understand each other;
// [Hello] and [Welcome] agree on the version of the protocol.
//
// Messages between two processes arrive in order or not at all: any may be lost, with all that
// follow until the link is made anew. Whoever sends one that must have an effect awaits the answer.
//
// It is pure: values without identity, which any goroutine may encode and decode.
package wire
