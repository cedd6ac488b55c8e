package cdpclient

//lint:file-ignore ST1005 Chrome is a name

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// maxMessage limits one incoming message, in bytes. Tool results of 120 MB work.
const maxMessage = 512 << 20

// ErrTooLarge says that Chrome's answer was skipped, because it is larger than the hub accepts.
var ErrTooLarge = fmt.Errorf("Chrome's answer is larger than %d MiB, so it was passed over; ask for less at once",
	maxMessage>>20)

// TooLarge is the error of [Wire.Read] for a message that is larger than the limit. Read has read the whole message,
// and has kept its first and last kilobytes.
type TooLarge struct{ Start, End []byte }

// Error says how large a message may be.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("a message of Chrome is larger than %d MiB", maxMessage>>20)
}

// passOver handles a skipped message. The command that the message answers fails with [ErrTooLarge]. passOver drops an
// event that is only a record; another event may have changed the session's state, so it ends the session. passOver
// returns false if it can't tell to whom the message belongs.
func (c *Conn) passOver(large *TooLarge) bool {
	var e envelope
	scanValues(large.Start, skipSpace(large.Start, 0), e.set) // e gets the members in Start
	switch {
	case e.hasID:
		if p := c.takeReply(e.id); p != nil {
			p.answer(Reply{Err: ErrTooLarge})
		}
		return true
	case e.method == nil:
		return false
	}
	id, ok := sessionAtEnd(large.End)
	if !ok || id == "" || isRecord(string(e.method)) {
		return ok
	}
	c.mu.Lock()
	s, parent := c.sessions[id], SessionID("")
	if s != nil && s.parent != nil {
		parent = s.parent.id
	}
	c.mu.Unlock()
	if s == nil {
		return true
	}
	c.Post(parent, "Target.detachFromTarget", map[string]any{"sessionId": id}, nil)
	ended := c.end(id)
	tellEnded(ended)
	c.failPending(ended)
	return true
}

// sessionAtEnd returns the session of a message, which is the message's last member; "" is the browser's.
func sessionAtEnd(end []byte) (SessionID, bool) {
	end = bytes.TrimRight(end, " \r\n\t")
	if bytes.HasSuffix(end, []byte("}}")) { // the end of params: an unescaped quote ends a string
		return "", true
	}
	rest, ok := bytes.CutSuffix(end, []byte(`"}`))
	const member = `,"sessionId":"`
	at := bytes.LastIndex(rest, []byte(member))
	if !ok || at < 0 || !plainString(rest[at+len(member):]) {
		return "", false
	}
	return SessionID(rest[at+len(member):]), true
}

// isRecord reports whether an event is only a record, so that nothing later depends on it.
func isRecord(method string) bool {
	domain, _, _ := strings.Cut(method, ".")
	switch domain {
	case "Log", "Network", "Audits", "Tracing":
		return true
	}
	return method == "Runtime.consoleAPICalled" || method == "Runtime.exceptionThrown"
}

// tooLarge returns the TooLarge in a wire's error, or nil.
func tooLarge(err error) *TooLarge {
	var large *TooLarge
	errors.As(err, &large)
	return large
}
