package input

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// State is the result of a look at an element, or of a press on it.
type State string

// The results of a look. The action goes on only with Ready.
const (
	Ready     State = "ready"
	Detached  State = "detached"  // it is no longer in its document
	Hidden    State = "hidden"    // it has no box, or isn't drawn
	Moving    State = "moving"    // its box changed from one animation frame to the next
	Disabled  State = "disabled"  // By says by what
	ReadOnly  State = "readonly"  // By says by what
	OffScreen State = "offscreen" // no part of it can be scrolled into view
	Covered   State = "covered"   // By covers the place where it would be pressed
	Outside   State = "outside"   // its box, whose size is By, doesn't contain the wanted place
	Textless  State = "textless"  // it doesn't show the wanted text

	Unfocusable State = "unfocusable" // it didn't take the focus, which is at By
	Elsewhere   State = "elsewhere"   // it had the focus, but the keys would have gone to By; the guard stopped them
)

// The results of a press.
const (
	Arrived State = "arrived" // its events reached the element
	Blocked State = "blocked" // its events would have reached By; the guard stopped them
	Missed  State = "missed"  // the browser gave the events to the page around the element's frame
	Strayed State = "strayed" // the button went down on the element, and the click went to By
	Nothing State = "nothing" // no guard saw an event
)

// Observation is the result of one look or press.
type Observation struct {
	At     time.Duration // the time since the action began
	State  State
	By     string // what is in the way, in the page's words
	Unseen bool   // the page reports that it isn't drawn
}

// Do says what to do next.
type Do int

// The steps of an action.
const (
	Look   Do = iota // look after Wait, using Scroll and Unusual
	Press            // the element is ready: act at once
	Finish           // the action is done
	Fail             // the action has failed with Err
)

// Decision is the next step, as a [Machine] has decided.
type Decision struct {
	Do      Do
	Wait    time.Duration
	Scroll  string // how to scroll before the look: "" only if needed, else "end", "center" or "start"
	Unusual bool   // press any visible point, not only the middle
	Err     error
}

// Machine decides how an action on an element goes on. It looks until the element can be acted on, acts, and looks
// again if a guard stopped the action. It is pure: it takes all times from its Observations.
type Machine struct {
	limit    time.Duration
	what     string // names the element in errors
	looks    int
	covered  int // how many looks and presses found something else in the way
	unseen   int // how many presses no guard saw
	lastLook bool
	last     Observation
	queued   time.Duration // how long the action had waited for its turn
}

// pauses are the waits before the second and later looks. The last one repeats.
var pauses = []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond,
	500 * time.Millisecond}

// scrolls are tried in turn on a covered element. The first leaves the page as it is. The others bring the element
// out from under bars that stick to one side of the viewport.
var scrolls = []string{"", "end", "center", "start"}

// NewMachine returns a Machine for an action on the element that errors call what. The action must become possible
// within limit.
func NewMachine(what string, limit time.Duration) *Machine {
	return &Machine{limit: limit, what: what}
}

// Start returns the first Decision.
func (m *Machine) Start() Decision { return Decision{Do: Look} }

// Step takes the result of the last Decision and returns the next one.
func (m *Machine) Step(o Observation) Decision {
	m.last = o
	switch o.State {
	case Ready:
		return Decision{Do: Press}
	case Arrived:
		return Decision{Do: Finish}
	case Detached, Strayed, Outside, Textless:
		return m.fail()
	case Nothing:
		m.unseen++
		if m.unseen > 1 || !o.Unseen {
			return m.fail() // the press may have gone somewhere, so it isn't repeated
		}
	case Covered, Blocked, OffScreen:
		m.covered++
	}
	return m.again(o.At)
}

func (m *Machine) again(now time.Duration) Decision {
	if m.lastLook || now >= m.limit {
		return m.fail()
	}
	wait := pauses[min(m.looks, len(pauses)-1)]
	m.looks++
	if now+wait >= m.limit {
		wait, m.lastLook = m.limit-now, true
	}
	return Decision{Do: Look, Wait: wait, Scroll: scrolls[m.covered%len(scrolls)], Unusual: m.covered >= len(scrolls)}
}

func (m *Machine) fail() Decision {
	return Decision{Do: Fail, Err: &NotActionable{What: m.what, State: m.last.State, By: m.last.By,
		Unseen: m.last.Unseen, After: m.last.At, Queued: m.queued}}
}

// waited returns the error of an action that was given up with err while it waited.
func (m *Machine) waited(at time.Duration, err error) error {
	switch m.last.State {
	case "", Ready, Arrived, Nothing:
		return err
	}
	m.last.At = at
	return &Waited{For: m.fail().Err, Err: err}
}

// Waited is the error of an action that was given up from outside. For is what the action waited for.
type Waited struct{ For, Err error }

// Error says what the action waited for and what ended it.
func (e *Waited) Error() string { return strings.TrimSuffix(e.For.Error(), ".") + ": " + e.Err.Error() }

// Unwrap returns the error that ended the action.
func (e *Waited) Unwrap() error { return e.Err }

// NotActionable says why an action on an element could not be carried out. By is text of the page.
type NotActionable struct {
	What   string
	State  State
	By     string
	Unseen bool
	After  time.Duration // how long the action waited for the element
	Queued time.Duration // how long the action had waited for its turn
}

// Error says what is wrong with the element and what can be done.
func (e *NotActionable) Error() string {
	after := e.waited()
	switch e.State {
	case Detached:
		return e.What + " was removed from the page. Take a new snapshot."
	case Hidden:
		return e.What + " is not visible: it has no box or CSS hides it" + after +
			". Open what contains it first, or take a new snapshot."
	case Moving:
		return e.What + " does not stop moving" + after + "."
	case Disabled:
		return fmt.Sprintf("%s is %s%s.", e.What, cmp.Or(e.By, "disabled"), after)
	case ReadOnly:
		return fmt.Sprintf("%s is %s%s.", e.What, cmp.Or(e.By, "read-only"), after)
	case OffScreen:
		return e.What + " cannot be scrolled into view" + after + "."
	case Outside:
		return fmt.Sprintf("%s is %s CSS pixels large, so nothing was done: x and y lie outside of it.", e.What, e.By)
	case Textless:
		return e.What + " does not show that text, so nothing was done. Take a new snapshot."
	case Covered, Blocked:
		return fmt.Sprintf("%s is covered by %s%s, so nothing was pressed. Close or move what covers it first.", e.What,
			e.By, after)
	case Missed:
		return fmt.Sprintf("The browser gave the mouse's events to the page around the frame of %s, not to the "+
			"frame%s. Nothing was pressed there. Try again.", e.What, after)
	case Strayed:
		return fmt.Sprintf("The button went down on %s, but then %s came over it, and no click reached it. Take a "+
			"new snapshot to see what opened.", e.What, cmp.Or(e.By, "something else"))
	case Unfocusable:
		return fmt.Sprintf("%s does not take the focus; it is at %s%s.", e.What, cmp.Or(e.By, "nothing"), after)
	case Elsewhere:
		return fmt.Sprintf("%s lost the focus to %s before the keys came%s: the page moves it. They were stopped, so "+
			"nothing was typed. Look at the page again.", e.What, e.By, after)
	case Nothing:
		if e.Unseen {
			return "The browser delivered no event to " + e.What + ": the tab is not drawn. Select the tab with " +
				"bringToFront and try again."
		}
		if e.By != "" {
			return fmt.Sprintf("No event arrived at %s: %s came over it and took the press. Take a new snapshot or a screenshot.", e.What, e.By)
		}
		return "No event was seen at " + e.What + ": the page keeps its events to itself, or something that the hub " +
			"cannot see took the press. It may have been pressed all the same: look at the page before you repeat it."
	}
	return fmt.Sprintf("%s: %s", e.What, e.State)
}

// waited describes how long the action has waited. It returns "" if that was only a moment.
func (e *NotActionable) waited() string {
	const moment = 100 * time.Millisecond
	var all []string
	if e.After >= moment {
		all = append(all, e.After.Round(moment).String())
	}
	if e.Queued >= moment {
		all = append(all, e.Queued.Round(moment).String()+" for another action in this tab, as they take turns")
	}
	if all == nil {
		return ""
	}
	return " (waited " + strings.Join(all, ", and before that ") + ")"
}
