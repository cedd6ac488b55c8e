// Package jsonrpc reads and writes JSON-RPC 2.0 messages as MCP has them: those of MCP
// clients, those that pass between two hubs, and those of MCP-B proxies. It also encodes
// what is sent to pages' MCP servers; cdpclient/mcpb decodes their messages itself,
// whole, because all of them are for it.
//
// # What lives here
//
//   - [Parse] reads a whole message and says what a malformed one is answered;
//   - [Peek] reads as much as tells whose message it is, and no result;
//   - [Members], [Text] and [IsObject] take valid JSON apart without copying it;
//   - [Request], [Notification], [Result] and [Failure] frame messages, each in
//     pieces, so that a large result is not copied ([Frame]);
//   - [Encode] and [OneLine], the JSON that is sent.
//
// # Promises
//
//   - An id stays byte for byte what its sender wrote: it is compared, and sent
//     back, as JSON text.
//   - A parsed message holds slices of its input and no copies. What a message
//     may weigh is therefore bounded by whoever reads it from the wire, before
//     it comes here.
//   - Batches are refused: MCP has had none since protocol 2025-06-18.
//   - No input makes a function panic. A name that stands twice in an object
//     counts as it stands last.
//
// The package knows neither methods nor transports. Everything in it may be
// used from any goroutine.
package jsonrpc
