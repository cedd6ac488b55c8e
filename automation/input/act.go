package input

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// onElement waits for the turn, finds an element, calls act with it, and waits for what act began.
func (t *Tab) onElement(ctx context.Context, n Node, l Limits,
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
var ErrBusy = errors.New("the page did not answer in time: one of its scripts keeps it busy, or a navigation of it " +
	"hangs")

// during does the same as onElement for a caller that has the turn.
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

// once makes one attempt of during. acted says that it did something in the page.
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

// doing is an action with the mouse.
type doing struct {
	e     *element
	needs needs
	kind  string   // the kind of its guards: "press", "hover" or "grab"
	want  []string // event types; the action is done if one of them arrives at the element
	act   func(ctx context.Context, at spot) error
}

// run carries out an action with the mouse. If a dialog of the page keeps the action from being completed, that is no
// error: the Outcome has the dialog.
func (t *Tab) run(ctx context.Context, do doing, limit time.Duration) (*Outcome, error) {
	var at spot
	var unsure error
	pressed := false
	look := func(d Decision) (o Observation, err error) {
		at, o, err = t.aim(ctx, do.e, d, do.needs, do.kind)
		return o, err
	}
	act := func() (o Observation, err error) {
		if err := do.act(ctx, at); err != nil {
			if frame, ok := errors.AsType[*keptOut](err); ok { // the next look shields the frame
				t.disarm(do.e, at.guard)
				return Observation{State: Covered, By: "a frame of " + frame.origin}, nil
			}
			pressed = went(err)
			return Observation{}, err
		}
		pressed = true // may be set to false below, by what the guards report
		defer func() { pressed = pressed && (err != nil || o.State == Arrived) }()
		all, err := t.reports(ctx, do.e, at.guard)
		if opened(err) != nil { // Chrome sent all events before, so the guard would have reported
			if pressed = t.sees(ctx, at.guard); !pressed { // the page may keep its events from the guard
				unsure = errUnseen
			}
		}
		if err != nil {
			return Observation{}, err
		}
		o = judge(all, t.seenBy(at.guard), do.want)
		if o.State == Nothing && all[0].Missing && t.sees(ctx, at.guard) {
			o = judge(all, t.seenBy(at.guard), do.want)
		}
		if o.State == Nothing && all[0].gone != nil {
			return o, fmt.Errorf("the page went elsewhere while the mouse was on its way to %s, and no event was "+
				"seen there: it may have come to what is there now: %w", do.e, all[0].gone)
		}
		return o, nil
	}
	err := t.lead(ctx, do.e, limit, look, act)
	out := &Outcome{Delivered: pressed, Through: at.through}
	if err == nil {
		return out, nil
	}
	t.disarm(do.e, at.guard)
	if out.Dialog = opened(err); out.Dialog != nil {
		out.unsure = unsure
		seen := t.seenBy(at.guard)
		if pressed && do.kind == "press" && slices.Contains(seen, "pointerdown") &&
			!slices.ContainsFunc(seen, released) {
			out.Note = "The page may not know that the button was released, as the dialog opened before that and Chrome can " +
				"drop it: if the page goes on as if it was down, click again after the dialog."
		}
		return out, nil
	}
	return nil, err
}

// released reports whether an event comes only after the button was released.
func released(event string) bool {
	return event == "pointerup" || event == "click" || event == "dblclick" || event == "auxclick"
}

// lead carries out the Machine's Decisions until the action is done or has failed.
func (t *Tab) lead(ctx context.Context, e *element, limit time.Duration,
	look func(Decision) (Observation, error), act func() (Observation, error)) error {
	begun := time.Now()
	m := NewMachine(e.String(), t.left(limit))
	m.queued = t.queued
	looks := 0
	var hidden *NotShown // what the last press found
	for d := m.Start(); ; {
		var o Observation
		var err error
		switch d.Do {
		case Finish:
			return nil
		case Fail:
			if hidden != nil {
				return hidden
			}
			return d.Err
		case Look:
			hidden = nil
			looks++
			if d.Wait > 0 {
				err = t.page.Pause(ctx, d.Wait)
			}
			if err == nil {
				o, err = look(d)
			}
		case Press:
			if looks > 1 { // time has passed, so the element must be checked again
				e.Checked = time.Time{}
			}
			err = e.act(ctx, func() (err error) { o, err = act(); return err })
			switch {
			case errors.As(err, &hidden): // hidden from assistive technology too
				o, err = Observation{State: Hidden}, nil
			case err == nil && o.State == Arrived:
				e.Still = nil // later changes of the element may be caused by the action itself
			case err == nil: // the action waits again
				t.ends()
			}
		}
		if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
			return m.waited(time.Since(begun), err)
		}
		if err != nil {
			return err
		}
		o.At = time.Since(begun)
		d = m.Step(o)
	}
}
