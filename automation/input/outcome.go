package input

import (
	"cmp"
	"errors"

	"webmcphub/automation/page"
)

// Outcome is what an action came to and what it began.
type Outcome struct {
	// Delivered says that the action was carried out. Of the mouse it says that the page was seen to
	// get its events at the element, or will get them when Dialog is answered; of keys and texts that
	// they were sent while the element had the focus; of choices, values and files that the field was
	// given them, or had them already. Where it is false a dialog came before the action.
	Delivered bool
	// Through is the label that was pressed instead of its control, which isn't drawn.
	Through string
	// Dialog is the dialog that the action opened and that is still open. The rest of the
	// action is carried out when it is answered.
	Dialog *page.Dialog
	// Navigation is the one that the action began in the main frame, or in the element's.
	Navigation *Navigation
	// Popups are the targets of the tabs and windows that opened.
	Popups []string
	// Downloads are those that began.
	Downloads []page.Download
	// Pending is how many requests that the action began had no answer when it was no longer waited for.
	Pending int
	// Value is what a field held afterwards.
	Value string
	// Note says what else the caller should know.
	Note string

	unsure error // of one that wasn't delivered, why it may have been all the same, or still be
}

var (
	errUnseen = errors.New("the mouse's events were sent and a dialog opened, but none of them was seen at the " +
		"element: the page keeps its events to itself, or the dialog came first. It may have been pressed all the " +
		"same: look at the page before you repeat it")
	errLater = errors.New("a dialog opened just before the field was changed, which the browser does once that is " +
		"answered: look at the field then before you repeat it")
)

// Undone is the failure of an action that a dialog came before: one that opened while the
// action waited for its element. One that the action itself opened is no failure.
func (o *Outcome) Undone() error {
	if o == nil || o.Delivered || o.Dialog == nil {
		return nil
	}
	if o.unsure != nil {
		return o.unsure
	}
	return errors.New("nothing was done: a dialog opened first, while the element was waited for")
}

// Then adds up what two actions began; the rest is the later one's.
func (o *Outcome) Then(later *Outcome) *Outcome {
	sum := *later
	sum.Popups, sum.Downloads = append(o.Popups, later.Popups...), append(o.Downloads, later.Downloads...)
	sum.Dialog = cmp.Or(later.Dialog, o.Dialog)
	sum.Pending += o.Pending
	sum.Navigation = cmp.Or(later.Navigation, o.Navigation)
	return &sum
}

// Navigation is where an action led.
type Navigation struct {
	URL    string
	Frame  string // the frame that navigated, if not the main one
	Within bool   // in the same document, by its history or a fragment
	Ready  bool   // the next document is there, with its DOM; else it was still on its way
	Failed string // why it brought no document, or one that says so
}
