package watch

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"webmcphub/cdpclient"
)

// ask evaluates an expression in the page's document, in a world of our own: the page's
// scripts may have changed timers, promises and clocks, as tests with fake ones do.
func (t *Tab) ask(ctx context.Context, expression string) (json.RawMessage, error) {
	var world struct {
		ID int `json:"executionContextId"`
	}
	if err := t.browser.conn.Call(ctx, t.session, "Page.createIsolatedWorld", map[string]any{"frameId": string(t.page), "worldName": "webmcp-hub check"}, &world); err != nil {
		return nil, err
	}
	var result cdpclient.EvaluateResult
	params := cdpclient.EvaluateParams{Expression: expression, ContextID: world.ID, AwaitPromise: true, ReturnByValue: true}
	err := t.browser.conn.Call(ctx, t.session, cdpclient.RuntimeEvaluate, params, &result)
	return result.Result.Value, err
}

//go:embed sender.js
var sender string

// sends has a form sent as its user would, once Chrome has filled it in for a call. Where
// that can't be, the call waits, and says so in the end.
func (t *Tab) sends(ctx context.Context, tool string) {
	name, err := json.Marshal(tool)
	if err != nil { // a text can always be encoded
		panic(err)
	}
	_, _ = t.ask(ctx, strings.ReplaceAll(sender, "TOOL", string(name)))
}
