package input

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/automation/input/keys"
	"webmcphub/automation/page"
)

// PressOptions are the options of [Tab.Press].
type PressOptions struct {
	Node *Node // gets the focus first; if nil, the key goes to whatever has the focus
	// In, if Node is nil, is the document to which the key goes; nil allows any. Follow returns an error if the key
	// may not go to a further document to which it has moved the focus.
	In     *page.FrameRef
	Follow func(ctx context.Context, to page.FrameRef) error
	Repeat int // how often the key is pressed; 0 means once
	Limits Limits
}

// maxRepeat bounds [PressOptions].Repeat, because no other action gets the tab's turn meanwhile.
const maxRepeat = 1000

// Press presses a key or a chord; [keys.Parse] describes its notation.
func (t *Tab) Press(ctx context.Context, chord string, o PressOptions) (*Outcome, error) {
	c, err := keys.Parse(chord, t.mac)
	if err != nil {
		return nil, err
	}
	if o.Repeat < 0 || o.Repeat > maxRepeat {
		return nil, fmt.Errorf("a key can be pressed 1 to %d times, not %d", maxRepeat, o.Repeat)
	}
	o.Limits.work = time.Duration(o.Repeat) * perKey
	held := false // a dialog opened before Chrome confirmed the release
	out, err := t.keyAction(ctx, o.Node, o.Limits, func(ctx context.Context) (err error) {
		if o.Node == nil && o.In != nil {
			err = t.keysIn(ctx, c, o)
		} else {
			err = t.keys(ctx, c, max(o.Repeat, 1))
		}
		held = opened(err) != nil && went(err)
		return err
	})
	if held && out != nil {
		note := fmt.Sprintf("The page may not know that %s was released, as the dialog opened meanwhile and Chrome can drop "+
			"that: if the page goes on as if it was down, press it again after the dialog.", chord)
		out.Note = strings.TrimSpace(out.Note + " " + note)
	}
	return out, err
}

// keyAction is an action with keys: it waits for the turn, gives the focus to a node if n is not nil, and calls act,
// which sends the keys.
func (t *Tab) keyAction(ctx context.Context, n *Node, l Limits, act func(context.Context) error) (*Outcome, error) {
	out := &Outcome{}
	if n != nil {
		return t.onElement(ctx, *n, l, func(ctx context.Context, e *element) (*Outcome, error) {
			err := t.ready(ctx, e, needs{}, &seen{State: Ready}, l, // toEnd looks itself
				func() (Observation, error) { return t.keysAt(ctx, e, "toEnd", out, act) })
			return out.unless(err)
		})
	}
	release, err := t.turn(ctx, l)
	if err != nil {
		return nil, err
	}
	defer release()
	fx := t.watch("")
	defer fx.close()
	bounded, cancel := context.WithTimeoutCause(ctx, l.whole(), ErrBusy)
	defer cancel()
	defer t.ends()
	err = t.page.Act(ctx, func() error {
		t.begins()
		fx.begins()
		err := act(bounded)
		out.Delivered = went(err)
		return err
	})
	if err == nil {
		fx.runTasks(bounded)
	}
	if _, err := out.unless(err); err != nil {
		return nil, err
	}
	return out, fx.settle(ctx, out)
}

// keysAt gives an element the focus by calling a function of the helper, which also arms a guard there. Then it sends
// keys or a text, and asks the guard where they arrived. If the guard saw nothing, that is no error, because the
// browser may keep a key for itself. keysAt gives the page one turn of its event loop.
func (t *Tab) keysAt(ctx context.Context, e *element, focus string, out *Outcome,
	send func(context.Context) error) (Observation, error) {
	t.guard++
	guard := t.guard
	var is seen
	if err := e.call(ctx, &is, focus, guard); err != nil || is.State != Ready {
		return Observation{State: is.State, By: is.By}, err
	}
	err := send(ctx)
	out.Delivered = went(err)
	if err != nil {
		t.disarm(e, guard)
		return Observation{State: Arrived}, err
	}
	all, err := t.reports(ctx, e, guard)
	its := all[0]
	switch {
	case err != nil || its.Missing: // a dialog opened, or a navigation has begun
	case its.Blocked:
		out.Delivered = false
		return Observation{State: Elsewhere, By: its.By}, nil
	case its.Strayed != "" && slices.Contains(its.Seen, "keypress"), its.Strayed == "keypress",
		its.Strayed == "beforeinput":
		out.Note = fmt.Sprintf("The page moved the focus: what followed the %s came to %s.", its.Seen[len(its.Seen)-1],
			its.By)
	case its.Events == 0:
		if in, err := t.FocusedFrame(ctx); err == nil && in != e.Frame {
			frames := t.page.Frames()
			f, there := page.FrameByID(frames, in.ID)
			if why := t.barredBeside(t.meant, frames)(f); there && why != nil {
				return Observation{State: Arrived}, &keptOut{f.Origin, "took the focus", why}
			}
			out.Note = "No key was seen there, and the focus is in another document of the page now: what was sent " +
				"may have come to that one."
		}
	}
	return Observation{State: Arrived}, nil
}

// unless returns the Outcome of an action that ended with err. If a dialog that opened is the cause, unless returns
// no error.
func (o *Outcome) unless(err error) (*Outcome, error) {
	if dialog := opened(err); dialog != nil {
		if some := new(partly); errors.As(err, &some) {
			o.Note = fmt.Sprintf("%d of %d keys were pressed before the dialog opened.", some.pressed, some.of)
		}
		o.Dialog, err = dialog, nil
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

// keys presses a chord several times. It sends all events together, so no key stays down if a dialog opens or ctx
// ends.
func (t *Tab) keys(ctx context.Context, c keys.Chord, times int) error {
	if c.Key.Name == "Tab" { // Tab moves the focus to wherever a person could move it
		t = t.WithPage(t.page.ReachingAll())
	}
	past, release, err := t.aside(ctx)
	if err != nil {
		return err
	}
	defer release()
	if c.Key.Name == "Tab" {
		defer t.focusArrives(ctx) // before release
	}
	events := keyCommands(c.Events(times, t.mac))
	if times > 1 && c.Key.Text == "" { // each press may move the focus, and the next is then meant for what has it
		return t.enter(ctx, past, "", events...)
	}
	return t.enter(ctx, past, t.keysTo(past), events...)
}

// perKey is how long a page may take for one press of a key.
const perKey = 20 * time.Millisecond

// all waits for all replies and returns the first error.
func all(ctx context.Context, waits []page.Sent) error {
	var first error
	for _, w := range waits {
		if err := w.Wait(ctx, nil); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func keyCommands(events []keys.Event) []page.Command {
	all := make([]page.Command, len(events))
	for i, e := range events {
		all[i] = page.Command{Method: "Input.dispatchKeyEvent", Params: e}
	}
	return all
}
