package input

import (
	"context"
	"errors"
	"fmt"

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
	return t.onElement(ctx, n, o.Limits, func(ctx context.Context, e *element) (*Outcome, error) {
		if o.Button == Left && e.Role == "option" {
			// An option of a closed list has no box, so the click doesn't wait for it to become visible.
			if out, err := t.clickOption(ctx, e, errOpen); err == nil || opened(err) != nil {
				return out, err
			}
		}
		out, err := t.click(ctx, e, o)
		if not, ok := errors.AsType[*NotActionable](err); ok && not.State == Hidden && o.Button == Left {
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
	return t.run(ctx, doing{e, forPress, "press", want, func(ctx context.Context, at spot) error {
		return t.press(ctx, at, o.Button, o.Clicks, o.Modifiers)
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
	return t.onElement(ctx, n, l, func(ctx context.Context, e *element) (*Outcome, error) {
		return t.run(ctx, doing{e, forHover, "hover", wanted["hover"], func(ctx context.Context, at spot) error {
			moves := []mouseEvent{{Type: "mouseMoved", X: at.x, Y: at.y, Button: "none"}}
			// Chrome sends the page no event for a mouse that doesn't move.
			if t.mouse.x == at.x && t.mouse.y == at.y {
				moves = append([]mouseEvent{{Type: "mouseMoved", X: at.x, Y: at.y + 0.5, Button: "none"}}, moves...)
			}
			return t.mouseDoes(ctx, at.past, moves...)
		}}, l.ready())
	})
}
