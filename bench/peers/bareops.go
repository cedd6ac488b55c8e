package main

import (
	"context"
	"encoding/json"
	"fmt"

	"webmcphub/cdpclient"
)

// bareOps measures what Chrome itself takes for the same, and how fast it is in several
// tabs at once.
func bareOps(ctx context.Context, c *chromium, rounds int) (values, error) {
	v := values{}
	for _, tr := range trials {
		tabs, err := c.focused(ctx, 1)
		if err != nil {
			return nil, err
		}
		if _, err := repeat(ctx, c, tabs[0], v, tr, rounds, func(ctx context.Context, text string) (reply, error) {
			return c.bareOp(ctx, tabs[0], tr.op, text)
		}); err != nil {
			return nil, err
		}
	}
	for _, n := range crowds {
		tabs, err := c.focused(ctx, n)
		if err != nil {
			return nil, err
		}
		if err := clicking(ctx, c, tabs, v, 0, func(ctx context.Context, i int) error {
			_, err := c.bareOp(ctx, tabs[i], opClick, "")
			return err
		}); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// focused opens so many light pages, of which those behind others are as fast as the one in front, and take keys.
func (c *chromium) focused(ctx context.Context, n int) ([]*tab, error) {
	tabs, err := c.several(ctx, n, c.light)
	if err != nil {
		return nil, err
	}
	for _, t := range tabs {
		if err := c.pipe.Call(ctx, t.session, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true},
			nil); err != nil {
			return nil, err
		}
	}
	return tabs, nil
}

// bareOp does an op without any server, in the fewest commands.
func (c *chromium) bareOp(ctx context.Context, t *tab, o op, text string) (r reply, err error) {
	send := func(method string, params, result any) {
		if err == nil {
			err = c.pipe.Call(ctx, t.session, method, params, result)
		}
	}
	switch o {
	case opClick:
		var box struct {
			Result struct{ Value struct{ X, Y float64 } }
		}
		send(cdpclient.RuntimeEvaluate, map[string]any{"returnByValue": true,
			"expression": `(({x, y, width, height}) => ({x: x + width / 2, y: y + height / 2}))(document.querySelector("button").getBoundingClientRect())`}, &box)
		for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
			send("Input.dispatchMouseEvent",
				map[string]any{"type": kind, "x": box.Result.Value.X, "y": box.Result.Value.Y, "button": "left",
					"clickCount": 1}, nil)
		}
	case opFill:
		send(cdpclient.RuntimeEvaluate, map[string]any{"expression": "field.focus(), field.select()"}, nil)
		send("Input.insertText", map[string]any{"text": text}, nil)
	case opSnapshot:
		var tree struct {
			Nodes []struct{ Name struct{ Value any } }
		}
		send("Accessibility.getFullAXTree", nil, &tree)
		for _, n := range tree.Nodes {
			r.text += fmt.Sprintln(n.Name.Value)
		}
	case opScreenshot:
		var shot struct{ Data []byte }
		send("Page.captureScreenshot", nil, &shot)
		r.image = shot.Data
	case opEvaluate:
		var got json.RawMessage
		send(cdpclient.RuntimeEvaluate, map[string]any{"expression": "(" + text + ")()", "returnByValue": true}, &got)
		r.text = string(got)
	case opNavigate:
		send("Page.navigate", map[string]any{"url": text}, nil)
		send(cdpclient.RuntimeEvaluate, map[string]any{"awaitPromise": true,
			"expression": `document.readyState == "complete" || new Promise((done) => addEventListener("load", done))`},
			nil)
	case opPress:
		for _, kind := range []string{"keyDown", "keyUp"} {
			send("Input.dispatchKeyEvent",
				map[string]any{"type": kind, "key": text, "code": "KeyA", "windowsVirtualKeyCode": 65, "text": text},
				nil)
		}
	case opList:
		var all struct{ TargetInfos []struct{ URL string } }
		if err = c.pipe.Call(ctx, "", cdpclient.TargetGetTargets, nil, &all); err == nil {
			r.text = fmt.Sprint(all.TargetInfos)
		}
	}
	return r, err
}
