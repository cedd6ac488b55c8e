// Package recording keeps the session of one MCP client in a file: what the client and the
// hub said, and the tools that the client could have listed at any time.
//
// # What lives here
//
//   - [Recorder]: stands between a client and a hub, and takes a copy of what passes;
//   - the reel, which makes lines of the copies, in one goroutine;
//   - the mask, which keeps secrets out of them: by names and by what the tools' schemas
//     say (schemas), and where later messages repeat them (known);
//   - [Read]: reads a file again. Package recording serves it.
//
// docs/record.md documents the format, whose version is [Version].
//
// # Promises
//
//   - Neither the client nor the hub ever waits for the file. What waits to be written is
//     bounded: beyond that, messages are dropped and the file says how many.
//   - What has been written for [delay] survives the end of the process, however it ends.
//     A last line that was cut is read as if it weren't there.
//   - The file is readable by its owner only, and never grows beyond its limit.
//   - Values that [Mask] covers are never written. What isn't known to be harmless is masked.
//   - Whatever a message has in it, its line can be read again.
//
// # Concurrency
//
// One goroutine may read a [Recorder]'s input and one write its output at a time, as with a
// client. Any goroutine may call Close.
//
// # Replay
//
// serves a recorded session as an MCP server, without any browser.
//
// [Player] is pure: it is given a client's messages and returns those of the hub, as they
// were recorded. [Serve] reads and writes them.
//
// # How it goes
//
// A session is requests of the client's and what the hub said between them. A request is
// answered with the recorded answer of the first request that asked the same and that was
// not answered yet: the same method and params, of tools/call the same tool and arguments,
// in canonical form. The recording then stands at that request: what the hub said before it
// has been said, with the changes of tools; what it said before its answer is said before
// the answer; what it said from then to the client's next recorded request follows at once.
// A request that was skipped doesn't come back; one that comes out of turn is answered, and
// doesn't set the recording back.
//
// tools/list is answered with the tools as they were where the recording stands.
package recording
