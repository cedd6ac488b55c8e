// Package recording keeps the session of one MCP client in a file: what the client and the
// hub said, and the tools that the client could have listed at any time.
//
// # What lives here
//
//   - [Recorder]: stands between a client and a hub, and takes a copy of what passes;
//   - the reel, which makes lines of the copies, in one goroutine;
//   - the mask, which keeps secrets out of them: by names and by what the tools' schemas
//     say (schemas), and where later messages repeat them (known);
//   - [Read]: reads a file again. Package recording/replay serves it.
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
package recording
