// Package share lets several webmcp-hub processes that use the same Chrome share one hub. One of them owns the hub.
// The others join the owner and pass their clients' messages on to it. When the owner ends, another process takes its
// place.
//
// # What lives here
//
//   - [Run] serves one client, as the owner or as a guest of the owner.
//   - The hub's paths: for each Chrome a lock file, the owner's process id and a socket, in a folder that only the
//     user may enter.
//   - The welcome: how owner and guest find out whether they fit.
//   - Control lines: what owner and guest send each other besides MCP messages.
//   - The host: the owner's hub, its guests, and its end.
//   - The relay: it connects a guest's client with whoever owns the hub.
//   - The visitor: one more client, for a command that looks at a running hub.
//   - The handoff: what a guest has received from the owner for a takeover. It includes the owner's open files to
//     Chrome, so that Chrome doesn't end with the owner.
//   - The memory (pure): what a guest must remember of its client's messages so that another owner can go on.
//
// # What is shared
//
// Options.Key names the Chrome. Processes of the same user with the same key meet, whatever their environments. MCP
// clients pass on little of their environment, so the folder doesn't depend on XDG_RUNTIME_DIR or TMPDIR. It is
// /run/user/UID/webmcp-hub if the system has that folder, otherwise /tmp/webmcp-hub-UID, and on Windows webmcp-hub in
// the user's LocalAppData. A folder that others may enter, or that doesn't belong to the user, is not used.
//
// Options.Settings must be the same, too, because a hub has only one set of them. A process with other settings is
// never served by the owner, unless all that differs is rules that the owner has and the process doesn't
// (Options.Rules). If more than one hub may use the Chrome (Options.ManyHubs), it runs a hub of its own.
// Otherwise a stand-in (Options.StandIn) serves its client: its answers say what differs and what to do, until the
// process can join or own the hub. Without a stand-in the process ends with a [TakenError].
//
// After an update, processes of two versions meet. They share a hub if neither asks for a setting that the other's
// version doesn't know (Options.Version), and if they talk the same (talk). The guest's log then says that clients of
// the older version should be restarted; a refusal says it, too.
//
// A client's own process decides how the client sees the hub (Options.View). It tells the owner when it joins, and
// when that changes.
//
// # Promises
//
//   - The lock decides who owns the hub. The system frees the lock when its process ends, in whatever way. So there
//     are never two owners. A socket without its owner is replaced.
//   - The owner's own client is served directly, without a relay.
//   - One connection is one session of the owner's hub. A guest that doesn't read holds up nobody but itself, by the
//     rules of the session. A client's message may have Options.MaxLine bytes.
//   - An owner whose client has gone stays while it has guests, because they use Chrome and its tabs, too. Cancelling
//     Run's context, as signals do, ends it at once.
//   - When the owner ends, the guests' requests in flight are answered. Requests that only read are sent again to the
//     new owner. For the others the client is told that their effect is unknown. The client's initialize and similar
//     messages are repeated to the new owner, and the client is told that its lists have changed. The new owner
//     learns the client's place: where it stood and which sites it has read (Guest.Place). What else the session knew,
//     such as the list that was read last, is forgotten.
//   - If an owner has requests to answer and sends nothing, because it is stopped or hangs, the guest leaves it after
//     beat × beats. The requests are answered with the owner's process id and what to do, and the stand-in serves the
//     client until the owner answers again or has ended. An owner that has nothing to answer gets no pings.
//   - When the owner has ended, a guest that lacks rules of the owner lets guests that have them become the owner
//     first, for equalsFirst. If there are none, it takes over and logs that the rules no longer hold.
//   - Guests know the owner's state (Hub.State), at most statePause old. The guest that takes the owner's place gets
//     that state (Owner.Previous).
//   - A guest that has joined gets duplicates of the owner's open files to Chrome (Hub.Files), if the system can pass
//     them: when it asks, and whenever they change. It neither reads from them nor writes to them, and it closes them
//     before it tells the owner that its client has gone. Only the process that takes the lock, and with it the
//     owner's place, may use them (Owner.Files). Whoever has them controls Chrome completely. They are sent only to
//     guests, not to visitors or to processes that were refused, over the socket, which only processes of the same
//     user can reach.
//   - A hub is stopped before its lock is freed, so that a Chrome that it started has released its profile before the
//     next one is started with it.
//
// Not promised: a client of protocol 2026-07-28 has no initialize to repeat. Its subscriptions end with an error,
// after which it subscribes again.
//
// # Concurrency
//
// Any goroutine may call Run, once for each client. In a relay, one goroutine reads from the client and one from the
// owner. What they share is under a lock that is not held while anything blocks.
package share
