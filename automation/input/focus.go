package input

import (
	"context"
	"errors"
	"fmt"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

const isActive = `function() { return this.getRootNode().activeElement === this }`

// keysShield is the number of the shields that keep keys away from frames. One action at a time
// has the page's turn, and presses count from 1.
const keysShield = 0

// aside keeps the focus, and keys with it, from getting into frames that the hub may not look into,
// until release is called: by Tab, or by a script that hands it on. These are past. Chrome gives keys
// to whatever has the focus, so it is an error if that is in such a frame already.
func (t *Tab) aside(ctx context.Context) (past []page.Frame, release func(), err error) {
	out := t.page.KeptOut(ctx)
	var frames []*surrounding
	for _, f := range out {
		for _, around := range t.page.Frames() {
			if around.ID == f.Parent {
				frames = append(frames, &surrounding{in: around, inner: f})
			}
		}
	}
	found, err := t.owners(ctx, frames)
	release = func() {
		for _, s := range found {
			anyway := page.DespiteDialog(context.Background())
			t.page.Send(anyway, s.in.Session, cdpclient.RuntimeCallFunctionOn, disarmCall(s.object, keysShield))
			t.page.Release(s.in.FrameRef, s.object)
		}
	}
	if err == nil {
		err = t.notThere(ctx, out) // shields would take the focus away
	}
	if err == nil {
		err = t.shieldKeys(ctx, found)
	}
	if err == nil && len(found) > 0 {
		err = t.notThere(ctx, out) // it may have come there meanwhile
	}
	if err != nil {
		release()
		return nil, nil, before{err}
	}
	return shielded(found), release, nil
}

func (t *Tab) shieldKeys(ctx context.Context, frames []*surrounding) (first error) {
	shields := make([]func(any) error, len(frames))
	for i, s := range frames {
		shields[i] = t.ask(ctx, s.in.Session, s.object, "shieldKeys", keysShield)
	}
	for _, shielded := range shields {
		if err := shielded(nil); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// notThere is an error if the focus is in one of these frames.
func (t *Tab) notThere(ctx context.Context, frames []page.Frame) error {
	for _, f := range frames {
		if has, err := t.hasFocus(ctx, f); err != nil {
			return err
		} else if not := page.Hidden(ctx, f); has && f.Permitted && not != nil {
			return fmt.Errorf("nothing was typed: the focus is in a frame of %s. %w. Click another element, or give uid", f.Origin, not)
		} else if has {
			return fmt.Errorf("nothing was typed: the focus is in a frame of %s, which is kept out by the user's rules for sites (--allow-origin, --deny-origin). Click another element, or give uid", f.Origin)
		}
	}
	return nil
}

// hasFocus says whether the focus is in a frame: its element is the active one of the
// document around it, and so on outwards.
func (t *Tab) hasFocus(ctx context.Context, f page.Frame) (bool, error) {
	for f.Parent != "" {
		around, object, err := t.page.FrameElement(ctx, f)
		if gone, node := new(page.DocumentGone), new(page.NodeGone); errors.As(err, &gone) || errors.As(err, &node) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		var is cdpclient.EvaluateResult
		err = t.page.Call(ctx, around.Session, cdpclient.RuntimeCallFunctionOn, map[string]any{"functionDeclaration": isActive, "objectId": object, "returnByValue": true}, &is)
		t.page.Release(around.FrameRef, object)
		if err != nil || string(is.Result.Value) != "true" {
			return false, err
		}
		f = around
	}
	return true, nil
}

// FocusedFrame is the document that has the focus: keys go there.
func (t *Tab) FocusedFrame(ctx context.Context) (in page.FrameRef, err error) {
	for _, f := range t.page.Frames() { // what is in a frame comes after it
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
