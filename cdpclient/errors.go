package cdpclient

//lint:file-ignore ST1005 Chrome is a name

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrSessionGone says that the page (or frame) of a session went away. It also
// matches the [*Error] with which Chrome refuses commands for such a session.
var ErrSessionGone = errors.New("the page is gone")

// ErrConnClosed says that the connection to Chrome has ended. [Conn.Err] has
// the cause.
var ErrConnClosed = errors.New("the connection to Chrome is closed")

// ErrNotSent says that a [Conn.Call] sent nothing, because its context had ended before.
var ErrNotSent = errors.New("the command was not sent")

// ErrQuit means that a Chrome that the hub started has been closed, for example by its user: its process ended
// normally. Package launch adds it to the errors of a wire.
var ErrQuit = errors.New("Chrome was closed")

// ErrCrashed means that a Chrome that the hub started has ended although nobody closed it: it crashed, or was killed.
// Package launch adds it to the errors of a wire.
var ErrCrashed = errors.New("Chrome crashed or was killed")

// Quit is an [ErrQuit] with its own text about what became of the browser. It matches ErrQuit.
type Quit struct{ Why string }

// Error returns Why.
func (q Quit) Error() string { return q.Why }

// Is makes errors.Is(err, ErrQuit) true.
func (Quit) Is(target error) bool { return target == ErrQuit }

// These are the error codes in Chrome's replies.
const (
	CodeInvalidParams   = -32602 // also "Tool not found" and other WebMCP refusals
	CodeServerError     = -32000 // also "… domain is not enabled"
	CodeSessionNotFound = -32001
)

// Error is a CDP error reply: Chrome understood the command and refused it.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"` // any JSON, most often a string
}

// Error returns Chrome's text with its code.
func (e *Error) Error() string {
	if len(e.Data) > 0 {
		return fmt.Sprintf("chrome: %s (%d, %s)", e.Message, e.Code, e.Data)
	}
	return fmt.Sprintf("chrome: %s (%d)", e.Message, e.Code)
}

// Is makes errors.Is(err, ErrSessionGone) true for Chrome's own refusal.
func (e *Error) Is(target error) bool {
	return target == ErrSessionGone && e.Code == CodeSessionNotFound
}

// documentEnded contains Chrome's texts for a document's end: while a promise is awaited, before a page's process has
// answered, when a context is gone already, and for a screenshot.
var documentEnded = []string{"Execution context was destroyed", "Inspected target navigated or closed",
	"Cannot find context", "Not attached to an active page"}

// IsDocumentEnded reports whether Chrome refused a command because the command's document has ended. The event that
// reports the end may come after the refusal.
func IsDocumentEnded(err error) bool {
	var e *Error
	return errors.As(err, &e) && slices.ContainsFunc(documentEnded,
		func(words string) bool { return strings.Contains(e.Message, words) })
}

// decodeError returns the error of a reply. It never fails: an unusual error object is still an error.
func decodeError(raw json.RawMessage) *Error {
	e := new(Error)
	if err := json.Unmarshal(raw, e); err != nil {
		return &Error{Code: CodeServerError, Message: "unreadable error reply", Data: raw}
	}
	return e
}
