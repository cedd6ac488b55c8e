// Package socket has what connections to Chrome, to extensions and to other machines need to read and write messages.
//
//   - [Outbox] is the queue between the senders of a connection and the one goroutine that writes to it. Sending
//     never blocks. The number of bytes that wait for a peer that has stopped reading is bounded. Any goroutine may
//     call its methods, but Take and Wrote only one.
//   - [Reader] reads whole text messages from a WebSocket, in bounded memory.
//   - [YieldingReader] lets other goroutines run before each read of the socket. The goroutine that reads messages
//     wakes another goroutine for each message. If the reader went on to the next read at once, and that read had to
//     wait, the system call would come first, and the woken goroutine would run 20 to 50 µs later, perhaps on
//     another processor. If the reader yielded after each message, a flood of messages would cost twice as much,
//     because the woken goroutine would handle only one message in each turn.
package socket
