package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"webmcphub/cdpclient"
)

// world is the name of the check's isolated world.
const world = "webmcp-hub check"

// world creates an isolated world in a frame's document. There, timers, promises and clocks are real even if the
// page's scripts have replaced them, as tests with fake ones do.
func (t *Tab) world(ctx context.Context, in cdpclient.SessionID, frame string) (id int, err error) {
	var made struct {
		ID int `json:"executionContextId"`
	}
	err = t.browser.conn.Call(ctx, in, "Page.createIsolatedWorld",
		map[string]any{"frameId": frame, "worldName": world}, &made)
	return made.ID, err
}

// ask evaluates an expression in the page's document, in an isolated world.
func (t *Tab) ask(ctx context.Context, expression string) (json.RawMessage, error) {
	world, err := t.world(ctx, t.session, string(t.page))
	if err != nil {
		return nil, err
	}
	var result cdpclient.EvaluateResult
	params := cdpclient.EvaluateParams{Expression: expression, ContextID: world, AwaitPromise: true,
		ReturnByValue: true}
	err = t.browser.conn.Call(ctx, t.session, cdpclient.RuntimeEvaluate, params, &result)
	return result.Result.Value, cmp.Or(err, failed(&result))
}

// failed returns an error with what a script of the check threw; nil if it threw nothing.
func failed(r *cdpclient.EvaluateResult) error {
	if r.ExceptionDetails == nil {
		return nil
	}
	if x := r.ExceptionDetails.Exception; x != nil && x.Description != "" {
		return errors.New(firstLine(x.Description))
	}
	return errors.New(r.ExceptionDetails.Text)
}
