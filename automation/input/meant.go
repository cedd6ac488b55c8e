package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"webmcphub/automation/input/keys"
	"webmcphub/automation/page"
	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

// keptOut is the error of an action that could reach a document which the rules for sites keep out, or in which the
// call may not act.
type keptOut struct {
	origin string
	sent   string // what the document did after the events were sent; "" if they weren't sent
	barred error  // the reason, if it isn't the rules for sites
}

// Error names the document's origin and says what may have been done.
func (e *keptOut) Error() string {
	why := "which is " + names.ByRules
	if e.barred != nil {
		why = "where nothing may arrive (" + e.barred.Error() + ")"
	}
	text := fmt.Sprintf("a document of %s %s, %s", e.origin, cmp.Or(e.sent, "came just then"), why)
	if e.sent != "" {
		text += ", while the keys were sent: some of them may have arrived there"
	}
	return text
}

// unsent says why events were not sent.
type unsent struct{ error }

func (e *unsent) Error() string { return "the events were not sent to the page: " + e.error.Error() }
func (e *unsent) Unwrap() error { return e.error }

// before wraps an error that occurred before anything was sent.
type before struct{ error }

func (e before) Unwrap() error { return e.error }

// went says whether the events or the command that ended with err were sent.
func went(err error) bool {
	var open *page.DialogOpen
	if errors.As(err, new(*partly)) {
		return true
	}
	return !errors.As(err, new(*unsent)) && !errors.As(err, new(before)) && (!errors.As(err, &open) || open.Opened)
}

// documents returns the element's frame and the frames around it, the outermost last.
func (e *element) documents() []page.Frame {
	all := []page.Frame{e.frame}
	for _, s := range e.around {
		all = append(all, s.In)
	}
	return all
}

// shielded returns the frames that these elements show.
func shielded(by []*page.FrameElement) (all []page.Frame) {
	for _, s := range by {
		all = append(all, s.Inner)
	}
	return all
}

// asMeant returns an error if events that are sent now could arrive in a document for which they aren't meant. The
// documents for which they are meant must still be there. All frames that are kept out or barred must be among past,
// the frames that the events pass by.
func asMeant(documents, past, now []page.Frame, barred func(page.Frame) error) error {
	for _, d := range documents {
		at := slices.IndexFunc(now, func(f page.Frame) bool { return f.ID == d.ID })
		switch {
		case at < 0:
			return &unsent{&page.DocumentGone{Frame: d.FrameRef}}
		case now[at].Loader != d.Loader:
			return &unsent{&page.DocumentGone{Frame: d.FrameRef, Now: now[at].Address()}}
		}
	}
	passed := map[string]bool{}
	for _, f := range now { // outer frames come before those inside them
		passed[f.ID] = passed[f.Parent] || slices.ContainsFunc(past, func(p page.Frame) bool { return p.ID == f.ID })
		if passed[f.ID] {
			continue
		}
		if !f.Permitted {
			return &unsent{&keptOut{origin: f.Origin}}
		}
		if barred == nil {
			continue
		}
		if why := barred(f); why != nil {
			return &unsent{&keptOut{origin: f.Origin, barred: why}}
		}
	}
	return nil
}

// deliver sends events on a session if asMeant allows it. The check is made at the moment of sending, so nothing
// comes in between. On the tab's own session, which is "", Chrome gives an event to whatever is under the mouse or
// has the focus when Chrome handles the event.
func (t *Tab) deliver(past []page.Frame, session cdpclient.SessionID,
	events ...page.Command) []page.Sent {
	documents := t.meant
	return t.page.SendIf(context.Background(), func(now []page.Frame) error {
		return asMeant(documents, past, now, t.barredBeside(documents, now))
	}, session, events...)
}

// barredBeside returns a function that says why input for an element in the first of these documents may not arrive
// in another frame of the page, or returns nil if it may. Keys for whatever has the focus have no such element;
// documents is then empty.
func (t *Tab) barredBeside(documents, frames []page.Frame) func(page.Frame) error {
	return func(f page.Frame) error {
		if len(documents) == 0 || slices.ContainsFunc(documents, func(d page.Frame) bool { return d.ID == f.ID }) {
			return nil
		}
		return t.page.CheckDocument(frames, f)
	}
}

// keysTo returns the session for keys that are all meant for one element, if there are frames that the keys must not
// reach. On the session of a frame, Chrome sends keys only to that frame and to frames inside it in the same process,
// whatever has the focus. On the main frame's session, keys go to whatever has the focus.
func (t *Tab) keysTo(past []*page.FrameElement) cdpclient.SessionID {
	if len(past) == 0 || len(t.meant) == 0 {
		return ""
	}
	return t.meant[0].Session
}

// partly wraps an error that occurred after some of the keys had been pressed.
type partly struct {
	pressed, of int
	error
}

func (e *partly) Error() string {
	return fmt.Sprintf("%d of %d keys were pressed: %s", e.pressed, e.of, e.error.Error())
}
func (e *partly) Unwrap() error { return e.error }

// keysIn does the same as keys, but only for the element with the focus in one document. A key may move the focus
// into another frame, so if there are other frames, keysIn checks the focus before each key.
func (t *Tab) keysIn(ctx context.Context, c keys.Chord, o PressOptions) (err error) {
	in, times, pressed := *o.In, max(o.Repeat, 1), 0
	defer func() {
		if t.meant = nil; err != nil && pressed > 0 {
			err = &partly{pressed, times, err}
		}
	}()
	for pressed < times {
		now, err := t.FocusedFrame(ctx)
		if err != nil {
			return before{err}
		}
		if now != in && pressed > 0 {
			if err := o.Follow(ctx, now); err != nil {
				return fmt.Errorf("the focus has moved to another document: %w", err)
			}
			in = now
		}
		if t.meant = within(t.page.Frames(), in); now != in || t.meant == nil {
			moved := errors.New("the focus has moved to another document since the call was allowed. Look at the page again")
			if pressed > 0 {
				return moved
			}
			return &unsent{moved}
		}
		n := times
		if len(t.page.Frames()) > 1 {
			n = 1
		}
		err = t.keys(ctx, c, n)
		if went(err) {
			pressed += n
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// within returns a document and the documents around it, the outermost last, or nil if the document is gone.
func within(frames []page.Frame, in page.FrameRef) (all []page.Frame) {
	for i := len(frames) - 1; i >= 0; i-- { // outer frames come before those inside them
		f := frames[i]
		if f.FrameRef == in || len(all) > 0 && f.ID == all[len(all)-1].Parent {
			all = append(all, f)
		}
	}
	return all
}

// enter sends keys and text on a session and waits for the replies. If a document that is kept out came meanwhile,
// enter returns an error, because nobody can see what arrived there.
func (t *Tab) enter(ctx context.Context, past []*page.FrameElement, session cdpclient.SessionID,
	events ...page.Command) error {
	by := shielded(past)
	sent := t.deliver(by, session, events...)
	err := all(ctx, sent)
	if err != nil || len(sent) == 0 {
		return err
	}
	now := sent[len(sent)-1].Frames()
	barred := t.barredBeside(t.meant, now)
	if came, ok := errors.AsType[*keptOut](asMeant(nil, by, now, barred)); ok {
		return &keptOut{came.origin, "came", came.barred}
	}
	// Chrome lets a frame take the focus although it is inert.
	if f, err := t.focusedOf(ctx, past); err == nil && f != nil {
		return &keptOut{f.Origin, "took the focus", barred(*f)}
	}
	return nil
}
