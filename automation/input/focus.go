package input

import (
	"context"
	"errors"
	"fmt"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

const isActive = `function() { return this.getRootNode().activeElement === this }`

// mayType says why nothing may be typed now: Chrome gives keys to whatever has the focus,
// which may be a frame that the hub may not look into.
func (t *Tab) mayType(ctx context.Context) error {
	for _, f := range t.page.KeptOut() {
		if has, err := t.hasFocus(ctx, f); err != nil {
			return err
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
