// Package transport has the parts of gRPC that gateways, operators and nodes share: how a node is dialled and listens,
// who the peer is, and how large messages may be.
//
// # Who is who
//
// Each call carries metadata: who calls, in which incarnation, and which node is meant. With TLS both sides prove
// their role and name by certificates (cluster/certs), and the metadata must agree with the certificates. Without TLS
// only processes of this computer can connect, and each side believes the name that the other gives.
//
// # Memory
//
// The bytes of a message are bounded, and so is the memory that the decoded message takes: two bytes can be an empty
// [api.Tool] of some 300 bytes. So the submessages of a large message are counted before it is decoded. A message with
// more than 262,144 of them, twice what a node's pages may have, is refused.
package transport
