// Package transport has what gateways, operators and nodes share of gRPC: how a node is dialled and listens, who is
// at the other end, and how large messages may be.
//
// # Who is who
//
// Each call carries metadata: who calls, in which incarnation, and which node is meant. With TLS both sides prove
// their role and name by their certificates (cluster/certs), and what the metadata says must agree with them. Without
// TLS nothing leaves the machine, and names are taken on trust.
//
// # Memory
//
// The bytes of a message are bounded, and so is what they can become: two bytes can be an empty [api.Tool] of some
// 300. The submessages of a large message are counted before it is decoded, and more than 262,144, twice what a
// node's pages may have, are refused.
package transport
