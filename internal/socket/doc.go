// Package socket has what connections to Chrome, to extensions and to other machines need to read and write messages.
//
//   - [Outbox] is the queue between the senders of a connection and the one goroutine that writes to it. Sending never
//     blocks; how much a peer that has stopped reading can pile up is bounded. Any goroutine may call its methods, but
//     Take and Wrote only one.
//   - [Reader] reads whole text messages from a WebSocket, in bounded memory.
//   - [YieldingReader] lets other goroutines run before it reads. A goroutine that reads messages wakes another one for
//     each. If it reads on at once, and that read waits, the system call comes first and the woken goroutine 20 to 50 µs
//     later, perhaps on another processor. If it yields after each message instead, a flood of messages costs twice as
//     much, since no two are handled in one turn. So it yields before each read of the socket.
package socket
