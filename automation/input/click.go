package input

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"webmcphub/automation/input/keys"
)

// ClickOptions are the options of [Tab.Click]. The zero value is one click with the left button.
type ClickOptions struct {
	Button    Button
	Clicks    int // 2 is a double click
	Modifiers keys.Modifiers
	Limits    Limits
}

// Click presses an element with the mouse. If the press doesn't arrive at the element, the error says what covered
// it.
func (t *Tab) Click(ctx context.Context, n Node, o ClickOptions) (*Outcome, error) {
	if o.Button == "" {
		o.Button = Left
	}
	if o.Clicks == 0 {
		o.Clicks = 1
	}
	if buttonBits[o.Button] == 0 || o.Clicks < 1 || o.Clicks > 3 {
		return nil, fmt.Errorf("there is no %s click with %d presses", o.Button, o.Clicks)
	}
	return t.on(ctx, n, o.Limits, func(ctx context.Context, e *element) (*Outcome, error) {
		if o.Button == Left && e.Role == "option" {
			// An option of a closed list has no box, so the click doesn't wait for it to become visible.
			if out, err := t.clickOption(ctx, e, errOpen); err == nil || opened(err) != nil {
				return out, err
			}
		}
		out, err := t.click(ctx, e, o)
		var not *NotActionable
		if errors.As(err, &not) && not.State == Hidden && o.Button == Left {
			return t.clickOption(ctx, e, err)
		}
		return out, err
	})
}

func (t *Tab) click(ctx context.Context, e *element, o ClickOptions) (*Outcome, error) {
	want := wanted[string(o.Button)]
	if o.Button == Left && o.Clicks > 1 {
		want = wanted["double"]
	}
	return t.run(ctx, doing{e, forPress, "press", want, func(ctx context.Context, a aimed) error {
		return t.press(ctx, a, o.Button, o.Clicks, o.Modifiers)
	}}, o.Limits.ready())
}

var errOpen = errors.New("the list is open")

// clickOption chooses an option of a closed list. The option has no box to press.
func (t *Tab) clickOption(ctx context.Context, e *element, hidden error) (*Outcome, error) {
	var closed bool
	if err := e.call(ctx, &closed, "closedOption"); err != nil || !closed {
		return nil, hidden
	}
	var is choice
	out := &Outcome{}
	err := e.act(ctx, func() error { return e.changing(ctx, out, &is, "chooseOption") })
	if out, err := out.unless(err); err != nil || out.Dialog != nil {
		return out, err
	}
	return is.outcome(out, e)
}

// Hover moves the mouse onto an element.
func (t *Tab) Hover(ctx context.Context, n Node, l Limits) (*Outcome, error) {
	return t.on(ctx, n, l, func(ctx context.Context, e *element) (*Outcome, error) {
		return t.run(ctx, doing{e, forHover, "hover", wanted["hover"], func(ctx context.Context, a aimed) error {
			moves := []mouseEvent{{Type: "mouseMoved", X: a.x, Y: a.y, Button: "none"}}
			// Chrome sends the page no event for a mouse that doesn't move.
			if t.mouse.x == a.x && t.mouse.y == a.y {
				moves = append([]mouseEvent{{Type: "mouseMoved", X: a.x, Y: a.y + 0.5, Button: "none"}}, moves...)
			}
			return t.mouseDoes(ctx, a.past, moves...)
		}}, l.ready())
	})
}

// on waits for the turn, finds an element, calls act with it, and waits for what act began.
func (t *Tab) on(ctx context.Context, n Node, l Limits,
	act func(context.Context, *element) (*Outcome, error)) (*Outcome, error) {
	before := t.done.Load()
	release, err := t.turn(ctx, l)
	if err != nil {
		return nil, err
	}
	defer release()
	if t.done.Load() != before { // other actions have ended meanwhile
		n.Checked = time.Time{}
	}
	return t.during(ctx, n, l, act)
}

// answerWait is how long a page may take for its part of an action, in addition to the action's limit.
const answerWait = 10 * time.Second

// ErrBusy says that a page did not answer in time.
var ErrBusy = errors.New("the page did not answer in time: one of its scripts keeps it busy, or a navigation of it hangs")

// during does the same as on for a caller that has the turn.
func (t *Tab) during(ctx context.Context, n Node, l Limits,
	act func(context.Context, *element) (*Outcome, error)) (*Outcome, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, t.left(l.ready())+l.work+answerWait, ErrBusy)
	defer cancel()
	for {
		out, acted, err := t.once(ctx, bounded, n, l, act)
		dialog := opened(err)
		if out != nil {
			dialog = out.Dialog
		}
		// If a script opened a dialog before the action, the call of that script answers the dialog. The action then
		// tries again.
		if dialog == nil || acted || !t.page.Answered(bounded, dialog.Number) {
			return out, err
		}
	}
}

// once is one attempt of during. acted says that it did something in the page.
func (t *Tab) once(ctx, bounded context.Context, n Node, l Limits,
	act func(context.Context, *element) (*Outcome, error)) (out *Outcome, acted bool, err error) {
	defer func() {
		acted = t.acted != nil
		t.ends()
	}()
	checked, other := n, error(nil)
	var check sync.WaitGroup
	check.Go(func() { other = checked.still(bounded) }) // in one trip with find
	e, err := t.find(bounded, n)
	check.Wait()
	if e != nil {
		e.Checked = checked.Checked
		defer e.drop()
	}
	if other != nil && !errors.As(other, new(*NotShown)) { // then the action waits
		return nil, false, other
	}
	if err != nil {
		return nil, false, err
	}
	t.meant = e.documents()
	defer func() { t.meant = nil }()
	e.effects = t.watch(e.Frame.ID)
	defer e.effects.close()
	e.effects.unawaited = l.unawaited
	if out, err = act(bounded, e); err != nil {
		return nil, false, err
	}
	return out, false, e.effects.settle(ctx, out)
}
