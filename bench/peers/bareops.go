package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"webmcphub/cdpclient"
)

// bareOps measures what Chrome itself takes for the same, and how fast it is in several
// tabs at once.
func (o operating) bareOps(ctx context.Context, c *chromium, only []string) (values, error) {
	v := values{}
	if len(only) > 0 && !slices.Contains(only, "ops") && !slices.Contains(only, "at-once") {
		return v, nil
	}
	for _, tr := range trials {
		if len(only) > 0 && !slices.Contains(only, "ops") {
			break
		}
		t, err := c.alone(ctx, c.light)
		if err != nil {
			return nil, err
		}
		if tr.op == opPress {
			err = c.bring(ctx, t)
		}
		if err != nil {
			return nil, err
		}
		if _, err := o.repeat(ctx, c, t, v, tr,
			func(ctx context.Context, text string) (reply, error) { return c.bareOp(ctx, t, tr.op, text) }); err != nil {
			return nil, err
		}
	}
	for _, n := range crowds {
		if len(only) > 0 && !slices.Contains(only, "at-once") {
			break
		}
		tabs, err := c.several(ctx, n)
		if err != nil {
			return nil, err
		}
		for _, t := range tabs { // those behind others are to be as fast as the one in front
			if err := c.pipe.Call(ctx, t.session, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true},
				nil); err != nil {
				return nil, err
			}
		}
		err = o.clicking(ctx, c, tabs, v, 0, func(ctx context.Context, i int) error {
			_, err := c.bareOp(ctx, tabs[i], opClick, "")
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return v, nil
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
			r.Text += fmt.Sprintln(n.Name.Value)
		}
	case opScreenshot:
		var shot struct{ Data []byte }
		send("Page.captureScreenshot", nil, &shot)
		r.Image = shot.Data
	case opEvaluate:
		var got json.RawMessage
		send(cdpclient.RuntimeEvaluate, map[string]any{"expression": "(" + text + ")()", "returnByValue": true}, &got)
		r.Text = string(got)
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
			r.Text = fmt.Sprint(all.TargetInfos)
		}
	}
	return r, err
}
