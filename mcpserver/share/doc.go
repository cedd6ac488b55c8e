// Package share lets several webmcp-hub processes that reach the same Chrome
// have one hub: one of them owns it, the others join the owner and pass their
// clients' messages on. When the owner goes, another takes its part.
//
// # What lives here
//
//   - [Run]: serves one client, as the owner or as a guest of the owner;
//   - the place: a folder that only the user may enter, with a lock file, the
//     owner's process id and a socket for each Chrome;
//   - the welcome: by what owner and guest know that they fit;
//   - control lines: what they say to each other beside MCP's messages;
//   - the host: the owner's hub, its guests, and its end;
//   - the relay: a guest's client on one side, whoever owns the hub on the other;
//   - the visitor: one more client, of a command that looks at a running hub;
//   - the files: what a guest holds of the owner's, so that Chrome doesn't end with it;
//   - the memory (pure): what a guest must remember of its client's messages for
//     another owner to go on.
//
// # What is shared
//
// Options.Key names the Chrome. Processes with the same key of the same user
// meet, whatever their environment: MCP clients pass little of theirs on, so the
// place does not depend on XDG_RUNTIME_DIR or TMPDIR. It is /run/user/UID/webmcp-hub
// where the system has that folder, /tmp/webmcp-hub-UID elsewhere, and on Windows
// webmcp-hub in the user's LocalAppData. A folder that others may enter, or that
// is not the user's, is not used.
//
// Options.Settings must be the same too, because a hub has one set of them. A
// process that differs is never served by the owner: it runs a hub of its own
// where Chrome allows for more than one (Options.Several). Otherwise its client is
// served by a stand-in (Options.StandIn), which says in its answers what differs
// and what to do, until the process can join or own the hub after all; without a
// stand-in the process ends with a [TakenError].
//
// How a client sees the hub is its own process's to say (Options.View). The
// owner is told when the process joins, and when that changes.
//
// # Promises
//
//   - The lock decides who owns the hub, and the system frees it when its process
//     ends, however that happens: there are never two owners. A socket without
//     its owner is replaced.
//   - The owner's own client is served directly, not by way of the relay.
//   - One connection is one session of the owner's. A guest that doesn't read
//     holds up nobody but itself, by the rules of the session. A message from a
//     client may have Options.MaxLine bytes.
//   - An owner whose client goes stays while it has guests: Chrome and its tabs are
//     theirs too. Cancelling Run's context, as signals do, ends it at once.
//   - When the owner goes, the guests' requests in flight are answered: those
//     that only read are asked again, of the others the client is told that
//     their effect is unknown. The client's initialize and its like are repeated
//     to the new owner, and it's told that its lists have changed. Where the
//     client stood, and which sites it has read, is told to the new owner (Guest.Place);
//     what else the session knew, such as the list read last, is forgotten.
//   - An owner that has requests to answer and is not heard of, because it is stopped
//     or hangs, is left after beat × beats: the requests are answered with its process
//     id and what to do, and the client is served by the stand-in until the owner
//     answers again or has ended. An owner with nothing to answer is asked nothing.
//   - Guests know the owner's will (Hub.Will), as it was willPause ago at most.
//     The one that takes its place is given it (Owner.Inherited).
//   - A guest that has joined is given duplicates of the owner's open files to Chrome
//     (Hub.Files) where the system can pass them: when it asks, and whenever they
//     change. It neither reads from them nor writes to them, and closes them before
//     it tells the owner that its client has gone. Only the process that takes the
//     lock, and with it the owner's place, may use them (Owner.Files). Whoever has
//     them controls Chrome completely. They go to guests only, not to visitors or to
//     a process that was refused, over the socket, which only processes of the same
//     user can reach.
//   - A hub is stopped before its lock is freed, so that a Chrome that it started
//     has left its profile before the next one is started on it.
//
// Not promised: a client of protocol 2026-07-28 has no initialize to repeat; its
// subscriptions end with an error, on which it subscribes again.
//
// # Concurrency
//
// Run may be called from any goroutine, once for each client. Of a relay one
// goroutine reads the client and one the owner; what they share is
// under a lock that is not held while anything blocks.
package share
