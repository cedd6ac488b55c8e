package input

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"webmcphub/automation/input/keys"
	"webmcphub/automation/page"
)

// Button is a button of the mouse.
type Button string

// The buttons.
const (
	Left   Button = "left"
	Middle Button = "middle"
	Right  Button = "right"
)

var buttonBits = map[Button]int{Left: 1, Right: 2, Middle: 4}

// mouseEvent is a command to the tab's mouse. It is sent on the tab's own session, with coordinates in the page's
// viewport. Chrome finds the frame.
type mouseEvent struct {
	Type       string         `json:"type"`
	X          float64        `json:"x"`
	Y          float64        `json:"y"`
	Button     Button         `json:"button"`
	Buttons    int            `json:"buttons"`
	ClickCount int            `json:"clickCount"`
	Modifiers  keys.Modifiers `json:"modifiers"`
	Force      float64        `json:"force,omitempty"`
}

// mouseDoes sends mouse events that belong together and waits for the replies. past are the frames that are shielded.
func (t *Tab) mouseDoes(ctx context.Context, past []page.Frame, events ...mouseEvent) error {
	commands := make([]page.Command, len(events))
	for i, e := range events {
		t.mouse.x, t.mouse.y = e.X, e.Y
		commands[i] = page.Command{Method: mouseMethod, Params: e}
	}
	return all(ctx, t.deliver(past, "", commands...))
}

const mouseMethod = "Input.dispatchMouseEvent"

// press moves the mouse to a place and presses the button there clicks times. It returns when Chrome has carried that
// out. The events are sent together, so that nothing comes between them. If a dialog interrupts them, Chrome carries
// out the rest when the dialog is answered, but it drops what comes to it only after the dialog has opened. After a
// press Chrome runs none of the page's timers before the next frame, so a click takes 16.7 ms, with bare CDP too.
func (t *Tab) press(ctx context.Context, at spot, b Button, clicks int, m keys.Modifiers) error {
	x, y := at.x, at.y
	events := []mouseEvent{{Type: "mouseMoved", X: x, Y: y, Button: "none", Modifiers: m}}
	for n := 1; n <= clicks; n++ {
		events = append(events,
			mouseEvent{Type: "mousePressed", X: x, Y: y, Button: b, Buttons: buttonBits[b], ClickCount: n, Modifiers: m,
				Force: 0.5},
			mouseEvent{Type: "mouseReleased", X: x, Y: y, Button: b, ClickCount: n, Modifiers: m})
	}
	return t.mouseDoes(ctx, at.past, events...)
}

// report has what a guard saw.
type report struct {
	Missing   bool     `json:"missing"`
	Seen      []string `json:"seen"`
	Strayed   string   `json:"strayed"` // the type of the first event that went elsewhere after others had arrived
	By        string   `json:"by"`
	Blocked   bool     `json:"blocked"`
	Missed    bool     `json:"missed"` // of a frame around: an event hit the element of the frame inside
	Events    int      `json:"events"`
	Hidden    bool     `json:"hidden"`
	Connected bool     `json:"connected"`
	Opened    bool     `json:"opened"` // the element's aria-expanded changed
	gone      error    // why the document could not be asked
}

// reports ends the guards and returns what they saw: first the guard at the element, then those in the frames around
// it. It also gives the page one turn of its event loop.
func (t *Tab) reports(ctx context.Context, e *element, guard int) ([]report, error) {
	ctx, stop := e.effects.unlessNavigating(ctx)
	defer stop()
	waits := []func(any) error{t.ask(ctx, e.frame.Session, e.object, "seen", guard)}
	for _, s := range e.around {
		waits = append(waits, t.ask(ctx, s.In.Session, s.Object, "seen", guard))
	}
	all := make([]report, len(waits))
	var failure error
	for i, wait := range waits {
		err := wait(&all[i])
		var open *page.DialogOpen
		var thrown *page.ScriptError
		switch {
		case err == nil:
		case errors.Is(err, errNavigates):
			all[i] = report{Missing: true}
		case errors.As(err, &open), errors.As(err, &thrown), ctx.Err() != nil:
			failure = err
		default:
			all[i] = report{Missing: true, gone: e.explain(err)}
		}
	}
	return all, failure
}

// wanted lists event types by action. The action is done if an event of one of these types arrives.
var wanted = map[string][]string{
	"left": {"click"}, "double": {"dblclick"}, "right": {"contextmenu", "auxclick"}, "middle": {"auxclick"},
	"hover": {"pointermove", "mousemove"}, "grab": {"pointerdown", "mousedown"},
}

// judge says what became of an action, from what the guards reported.
func judge(all []report, events, want []string) Observation {
	var o Observation
	missed := false
	for _, around := range all[1:] {
		missed = missed || around.Missed
		if around.Blocked && !around.Missed {
			o.State, o.By = Blocked, around.By
			return o
		}
	}
	its := all[0]
	seen := append(slices.Clone(its.Seen), events...)
	arrived := slices.ContainsFunc(want, func(kind string) bool { return slices.Contains(seen, kind) })
	down := slices.ContainsFunc(wanted["grab"], func(kind string) bool { return slices.Contains(seen, kind) })
	switch {
	case its.Blocked:
		o.State, o.By = Blocked, its.By
	case arrived:
		o.State = Arrived
	case missed && !down:
		o.State = Missed
	case len(seen) > 0 && !missed && (its.Missing || its.Opened || !its.Connected || its.Strayed == ""):
		o.State = Arrived // the page reacted to the press before the release, by a menu or by removing the element
	case len(seen) > 0:
		o.State, o.By = Strayed, its.By
		if missed {
			o.By = "the page around its frame"
		}
	default:
		o.State, o.Unseen = Nothing, its.Hidden
		for _, r := range all {
			o.By = cmp.Or(o.By, r.By)
		}
	}
	return o
}
