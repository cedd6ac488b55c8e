// Package replay serves a recorded session as an MCP server, without any browser.
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
package replay
