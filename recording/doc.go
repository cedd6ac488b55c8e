// Package recording records the session of one MCP client to a file: what the client and the hub said, and the tools
// that the client could have listed at any time.
//
// # What lives here
//
//   - [Recorder] stands between a client and a hub, and copies the messages that pass;
//   - lineWriter (lines.go) makes lines of the copies, in one goroutine;
//   - masking (mask.go) leaves secrets out of the lines. It finds them by their names, by the tools' schemas
//     (schemas.go), and by their values where later messages repeat a secret (known.go);
//   - [Read] reads a file; [Player] and [Player.Serve] replay it.
//
// docs/record.md documents the format, whose version is [Version].
//
// # Promises
//
//   - Neither the client nor the hub ever waits for the file. The queue is bounded: if it is full, messages are
//     dropped and the file says how many.
//   - What has waited for [delay] and been written survives the end of the process, however it ends. A last line
//     that was cut off is ignored.
//   - The file is readable by its owner only, and never grows beyond its limit.
//   - Values that [Mask] covers are never written. What isn't known to be harmless is masked.
//   - Whatever a message contains, its line can be read again.
//
// # Concurrency
//
// One goroutine may read a [Recorder]'s input and one may write its output at a time, as with a client. Close may be
// called from any goroutine.
//
// # Replay
//
// [Player.Serve] serves a recorded session as an MCP server, without any browser. [Player] is pure: it takes a client's
// messages and returns the hub's messages, as they were recorded.
//
// # How a replay goes
//
// A session consists of the client's requests and of what the hub said between them. A request gets the recorded
// answer of the first unanswered request that asked the same: the same method and params; for tools/call, the same
// tool and arguments, in canonical form. The position in the recording is then at that request. Everything that the
// hub said before the request counts as said, including changes of tools. The Player sends what the hub said between
// the request and its answer before the answer, and what the hub said from then to the client's next recorded request
// right after the answer. If the client skips a recorded request and sends it later, the request gets its recorded
// answer, but the position doesn't move back.
//
// tools/list is answered with the tools at the current position.
package recording
