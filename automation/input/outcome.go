package input

import (
	"cmp"
	"errors"

	"webmcphub/automation/page"
)

// Outcome is the result of an action and what the action began.
type Outcome struct {
	// Delivered says that the action was carried out. For the mouse, it says that the page got the mouse's events at
	// the element, or will get them when Dialog is answered. For keys and texts, it says that they were sent while
	// the element had the focus. For choices, values and files, it says that the field was given them or had them
	// already. If Delivered is false, a dialog opened before the action.
	Delivered bool
	// Through is the label that was pressed instead of its control, if the control isn't drawn.
	Through string
	// Dialog is the dialog that the action opened and that is still open. The rest of the action is carried out when
	// the dialog is answered.
	Dialog *page.Dialog
	// Navigation is the navigation that the action began in the main frame or in the element's frame; nil if there is
	// none.
	Navigation *Navigation
	// Popups are the target ids of the tabs and windows that opened.
	Popups []string
	// Downloads are the names of the downloads that began.
	Downloads []string
	// Pending is how many requests that the action began were unanswered when the Tab stopped waiting for them.
	Pending int
	// Value is what the field held afterwards.
	Value string
	// Note says what else the caller should know.
	Note string

	unsure error // if Delivered is false: why the action may have been or may still be carried out
}

var (
	errUnseen = errors.New("the mouse's events were sent and a dialog opened, but none of them was seen at the " +
		"element: the page keeps its events to itself, or the dialog came first. It may have been pressed all the " +
		"same: look at the page before you repeat it")
	errLater = errors.New("a dialog opened just before the field was changed, which the browser does once that is " +
		"answered: look at the field then before you repeat it")
)

// Undone returns an error if a dialog opened before the action, while the action waited for its element. A dialog
// that the action itself opened is no error.
func (o *Outcome) Undone() error {
	if o == nil || o.Delivered || o.Dialog == nil {
		return nil
	}
	if o.unsure != nil {
		return o.unsure
	}
	return errors.New("nothing was done: a dialog opened first, while the element was waited for")
}

// Then adds up what two actions began. All other fields are those of later.
func (o *Outcome) Then(later *Outcome) *Outcome {
	sum := *later
	sum.Popups, sum.Downloads = append(o.Popups, later.Popups...), append(o.Downloads, later.Downloads...)
	sum.Dialog = cmp.Or(later.Dialog, o.Dialog)
	sum.Pending += o.Pending
	sum.Navigation = cmp.Or(later.Navigation, o.Navigation)
	return &sum
}

// Navigation says where an action led.
type Navigation struct {
	URL    string
	Frame  string // the id of the frame that navigated; "" if it was the main one
	Within bool   // it stayed in the same document, by the history API or a fragment
	Ready  bool   // the next document's DOM is there; else it was still on its way
	Failed string // why it brought no document, or only an error page
}
