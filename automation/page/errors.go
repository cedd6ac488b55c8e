package page

import (
	"errors"
	"fmt"
)

// ErrClosed is the error of calls that wait for a page when [Page.Close] is called.
var ErrClosed = errors.New("the hub has let go of this page")

// ErrNoDialog says that no dialog is open in the page.
var ErrNoDialog = errors.New("no dialog is open in this page")

// ErrOtherDialog says that another dialog is open in the page than the one that was to be answered.
var ErrOtherDialog = errors.New("the dialog that was open has been answered, and another one is open now")

// ErrTakenOver is the error of [Page.Input] if its context ends while a person operates the page.
var ErrTakenOver = errors.New("nothing was done: the user operates this tab by hand now (on the hub's live page), " +
	"and actions of agents wait until they give it back. Ask the user, or try again later")

// Values of [Ended].Why.
const (
	Crashed = "the page crashed"
	Closed  = "the tab was closed"
)

// Ended says why a page can't be used any more. [Page.Err] returns it.
type Ended struct {
	Why   string // Closed, Crashed, "Chrome is gone" or another reason
	Cause error  // may be nil
}

// Error gives the reason.
func (e *Ended) Error() string { return e.Why }

// Unwrap gives the cause.
func (e *Ended) Unwrap() error { return e.Cause }

// DialogOpen says that a call can't go on because the page shows a dialog. If the command had been sent before the
// dialog opened, Chrome carries it out when the dialog closes.
type DialogOpen struct {
	Dialog Dialog
	Opened bool // it opened while the call waited, so the call most likely caused it
}

// Error quotes the dialog.
func (e *DialogOpen) Error() string {
	if e.Opened {
		return fmt.Sprintf("it opened a dialog: %s; answer it first", e.Dialog)
	}
	return fmt.Sprintf("a dialog is open in the page: %s; answer it first", e.Dialog)
}

// DocumentGone says that the document that a [FrameRef] names isn't there any more.
type DocumentGone struct {
	Frame FrameRef
	Now   string // the address of the document that replaced it; "" if the frame itself is gone
}

// Error says what became of the document.
func (e *DocumentGone) Error() string {
	if e.Now == "" {
		return "the frame was removed from the page"
	}
	return "the document was replaced: its frame now shows " + e.Now
}

// IsGone says whether an error says that a document or an element isn't there any more.
func IsGone(err error) bool {
	return errors.As(err, new(*DocumentGone)) || errors.As(err, new(*NodeGone))
}

// NodeGone says that an element isn't in its document any more.
type NodeGone struct{ BackendNode int }

// Error says so.
func (e *NodeGone) Error() string { return "the element was removed from the page" }

// NotPermitted says that the hub may not look into a frame.
type NotPermitted struct {
	Origin string
	Why    error // nil if the rules for sites don't permit it
}

// Error names the frame's origin.
func (e *NotPermitted) Error() string {
	if e.Why != nil {
		return e.Why.Error()
	}
	return "the hub is not permitted to use frames of " + e.Origin
}

// ScriptError is what a function threw in the page. Its text comes from the page and is untrusted.
type ScriptError struct{ Text string }

// Error gives the text.
func (e *ScriptError) Error() string { return e.Text }
