package cdpclient

import "encoding/json"

// SessionID identifies a flat CDP session. The empty one is the browser itself.
type SessionID string

// Inbox receives the messages of one session, in wire order, one at a time. The connection's reader goroutine calls
// it, so it must only enqueue.
type Inbox func(Message)

// Message is an [Event], a [Reply], [SessionEnded] or [Closed].
type Message interface{ message() }

// Event is a CDP event.
type Event struct {
	Session SessionID
	Method  string
	Params  json.RawMessage // read-only; not copied again
}

// Reply answers a [Conn.Post] that had a tag.
type Reply struct {
	Session SessionID
	Tag     any             // as given to Post
	Result  json.RawMessage // nil if Err is set
	Err     error           // *Error, ErrSessionGone, ErrConnClosed or an encoding error
}

// SessionEnded says that a session has ended, because Chrome announced the end or refused a command for the session.
// It comes after the message that revealed the end, and before the session's pending replies; only replies follow it.
type SessionEnded struct{ Session SessionID }

// Closed is the browser inbox's last message: the connection is gone, and every pending Reply has been delivered.
// Only the Reply to a later Post may follow it.
type Closed struct{ Err error }

func (Event) message()        {}
func (Reply) message()        {}
func (SessionEnded) message() {}
func (Closed) message()       {}
