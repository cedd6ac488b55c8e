package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

const isActive = `function() { return this.getRootNode().activeElement === this }`

// keysShield is the number of the shields that keep keys away from frames. Only one action at a time has the page's
// turn, and the guards of presses count from 1, so one number is enough.
const keysShield = 0

// aside keeps the focus, and with it keys, out of some frames until release is called: frames that the hub may not
// look into, and frames that input for the element may not reach. Otherwise a Tab key or a script could move the
// focus there. past has these frames. Chrome sends keys to whatever has the focus, so aside returns an error if such
// a frame has it already.
func (t *Tab) aside(ctx context.Context) (past []*page.FrameElement, release func(), err error) {
	all := t.page.Frames()
	var frames []*page.FrameElement
	out, barred := map[string]bool{}, t.barredBeside(t.meant, all)
	for _, f := range all { // outer frames come before those inside them
		if out[f.ID] = out[f.Parent] || t.page.CheckRead(ctx, f) != nil || barred(f) != nil; !out[f.ID] || out[f.Parent] {
			continue
		}
		around, there := page.FrameByID(all, f.Parent)
		if !there { // f is the main frame
			return nil, nil, before{t.hasIt(ctx, f)}
		}
		frames = append(frames, &page.FrameElement{In: around, Inner: f})
	}
	found, err := t.owners(ctx, frames)
	release = func() {
		for _, s := range found {
			anyway := page.DespiteDialog(context.Background())
			t.page.CallOn(anyway, s.In.Session, s.Object, disarm, keysShield)
			t.page.Release(s.In.FrameRef, s.Object)
		}
	}
	if err == nil {
		err = t.notThere(ctx, found) // before shieldKeys, which would take the focus away
	}
	if err == nil {
		err = t.shieldKeys(ctx, found)
	}
	if err == nil && len(found) > 0 {
		err = t.notThere(ctx, found) // the focus may have moved there meanwhile
	}
	if err != nil {
		release()
		return nil, nil, before{err}
	}
	return found, release, nil
}

func (t *Tab) shieldKeys(ctx context.Context, frames []*page.FrameElement) (first error) {
	shields := make([]func(any) error, len(frames))
	for i, s := range frames {
		shields[i] = t.ask(ctx, s.In.Session, s.Object, "shieldKeys", keysShield)
	}
	for _, shielded := range shields {
		if err := shielded(nil); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// notThere returns an error if the focus is in one of the frames that these elements show.
func (t *Tab) notThere(ctx context.Context, frames []*page.FrameElement) error {
	f, err := t.focusedOf(ctx, frames)
	if err != nil || f == nil {
		return err
	}
	return t.hasIt(ctx, *f)
}

// hasIt returns the error for a frame that has the focus although no input may arrive there.
func (t *Tab) hasIt(ctx context.Context, f page.Frame) error {
	if !f.Permitted {
		return fmt.Errorf("nothing was typed: the focus is in a frame of %s, which is %s. Click another element, or "+
			"give uid", f.Origin, names.ByRules)
	}
	if why := t.page.CheckRead(ctx, f); why != nil {
		return fmt.Errorf("nothing was typed: the focus is in a frame of %s. %w. Click another element, or give uid",
			f.Origin, why)
	}
	why := cmp.Or(t.page.CheckDocument(t.page.Frames(), f), errors.New("nothing may arrive there"))
	return fmt.Errorf("nothing was typed: the page has the focus in a frame of %s, and %w. Look at the page again",
		f.Origin, why)
}

// focusedOf returns the frame that has the focus, of those that these elements show, or nil if none has. It asks
// about all frames at once.
func (t *Tab) focusedOf(ctx context.Context, frames []*page.FrameElement) (*page.Frame, error) {
	replies := make([]func(any) error, len(frames))
	for i, s := range frames {
		replies[i] = t.page.CallOn(ctx, s.In.Session, s.Object, isActive)
	}
	var active []*page.FrameElement
	for i, s := range frames {
		is := false
		err := replies[i](&is)
		if errors.As(err, new(*cdpclient.Error)) || errors.Is(err, cdpclient.ErrSessionGone) {
			continue // the document around the frame is gone, and the frame with it
		}
		if err != nil {
			return nil, err
		}
		if is {
			active = append(active, s)
		}
	}
	for _, s := range active {
		if has, err := t.hasFocus(ctx, s.In); err != nil || has {
			return &s.Inner, err
		}
	}
	return nil, nil
}

// hasFocus says whether the focus is in a frame: the frame's element is the active element of the document around it,
// and so on outwards.
func (t *Tab) hasFocus(ctx context.Context, f page.Frame) (bool, error) {
	for f.Parent != "" {
		e, err := t.page.FrameElement(ctx, f)
		if page.IsGone(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		active := false
		err = t.page.CallOn(ctx, e.In.Session, e.Object, isActive)(&active)
		t.page.Release(e.In.FrameRef, e.Object)
		if err != nil || !active {
			return false, err
		}
		f = e.In
	}
	return true, nil
}

// focusMoves is how long the processes of a page may take to move the focus among them.
const focusMoves = 2 * time.Second

// focusArrives waits until the focus that the Tab key moves has arrived. A process passes the focus on to another by
// a message. If that one has nothing to focus, it also passes the focus on; otherwise it informs all others. Chrome
// delivers such a message before a later reply, so each round of commands carries the focus one message further.
func (t *Tab) focusArrives(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, focusMoves)
	defer cancel()
	var sessions []cdpclient.SessionID // one for each local root
	for _, f := range t.page.Frames() {
		if f.Permitted && !f.Late && !slices.Contains(sessions, f.Session) {
			sessions = append(sessions, f.Session)
		}
	}
	for range 2 * (len(sessions) - 1) {
		sent := make([]page.Sent, len(sessions))
		for i, s := range sessions {
			sent[i] = t.page.Send(ctx, s, cdpclient.RuntimeEvaluate, cdpclient.EvaluateParams{Expression: "0"})
		}
		if all(ctx, sent); ctx.Err() != nil {
			return
		}
	}
}

// FocusedFrame returns the document that has the focus. Keys go there.
func (t *Tab) FocusedFrame(ctx context.Context) (in page.FrameRef, err error) {
	for _, f := range t.page.Frames() { // outer frames come before those inside them
		if f.Parent != in.ID {
			continue
		}
		if has, err := t.hasFocus(ctx, f); err != nil {
			return in, err
		} else if has {
			in = f.FrameRef
		}
	}
	return in, nil
}
