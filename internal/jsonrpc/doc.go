// Package jsonrpc reads and writes JSON-RPC 2.0 messages as MCP uses them: those of MCP clients, those between two
// hubs, and those of MCP-B proxies. It also encodes what is sent to pages' MCP servers; cdpclient/pagemcp decodes their
// messages itself.
//
// # What lives here
//
//   - [Parse] reads a whole message and returns the error to answer a malformed one with;
//   - [Peek] reads only what is needed to route a message, and no result;
//   - [Members], [Text] and [IsObject] take valid JSON apart without copying it;
//   - [Request], [Notification], [Result] and [Failure] frame messages in pieces, so that a large result is not copied
//     ([Frame]);
//   - [Encode] and [OneLine] make the JSON that is sent.
//
// # Promises
//
//   - An id stays byte for byte what its sender wrote; it is compared, and sent back, as JSON text.
//   - A parsed message holds slices of its input and no copies. The code that reads messages from the wire limits
//     their size.
//   - Batches are refused: MCP has had none since protocol 2025-06-18.
//   - No input makes a function panic. If a name occurs twice in an object, the last one counts.
//
// The package knows neither methods nor transports. All its functions may be called from any goroutine.
package jsonrpc
