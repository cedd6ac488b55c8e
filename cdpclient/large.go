package cdpclient

//lint:file-ignore ST1005 Chrome is a name

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// maxMessage bounds one incoming message in bytes. Tool results of 120 MB have
// been seen to work.
const maxMessage = 512 << 20

// ErrTooLarge says that Chrome's answer was passed over, as it is larger than anything
// that the hub takes in.
var ErrTooLarge = fmt.Errorf("Chrome's answer is larger than %d MiB, so it was passed over; ask for less at once",
	maxMessage>>20)

// TooLarge is [Wire.Read]'s error for a message that is larger than the bound. All of it has
// been read, and its first and last bytes, some kilobytes, have been kept.
type TooLarge struct{ Start, End []byte }

// Error says how large a message may be.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("a message of Chrome is larger than %d MiB", maxMessage>>20)
}

// passOver gets along without a message: the call that it answers fails with
// [ErrTooLarge]. An event that is only a record is left out; one that may have told what
// the session is now ends it. False says that the message is nobody's.
func (c *Conn) passOver(large *TooLarge) bool {
	var e envelope
	scanValues(large.Start, skipSpace(large.Start, 0), e.set) // as far as it goes
	switch {
	case e.hasID:
		if p := c.owed(e.id); p != nil {
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
	c.failOwed(ended)
	return true
}

// sessionAtEnd is the session that a message names, which is its last member; "" is the browser's.
func sessionAtEnd(end []byte) (SessionID, bool) {
	end = bytes.TrimRight(end, " \r\n\t")
	if bytes.HasSuffix(end, []byte("}}")) { // the end of params: a quote that isn't escaped ends a string
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

// isRecord says that an event tells what has happened, and nothing that what comes later
// goes by.
func isRecord(method string) bool {
	domain, _, _ := strings.Cut(method, ".")
	switch domain {
	case "Log", "Network", "Audits", "Tracing":
		return true
	}
	return method == "Runtime.consoleAPICalled" || method == "Runtime.exceptionThrown"
}

// tooLarge is the message that a wire's error is about, nil if it is about something else.
func tooLarge(err error) *TooLarge {
	var large *TooLarge
	errors.As(err, &large)
	return large
}
