package cdpclient

import (
	"context"
	"encoding/json"
)

// AttachTo opens a session with a target. It blocks, as [Conn.Call] does.
func (c *Conn) AttachTo(ctx context.Context, target string) (SessionID, error) {
	var attached SessionParams
	err := c.Call(ctx, "", TargetAttachToTarget, map[string]any{"targetId": target, "flatten": true}, &attached)
	return attached.SessionID, err
}

// Evaluate returns the value of a JavaScript expression, or of the promise that it returns, in the main frame of a
// page's session. It blocks, as [Conn.Call] does. If the expression throws, the value means nothing.
func (c *Conn) Evaluate(ctx context.Context, s SessionID, expression string) (json.RawMessage, error) {
	var result EvaluateResult
	err := c.Call(ctx, s, RuntimeEvaluate,
		EvaluateParams{Expression: expression, AwaitPromise: true, ReturnByValue: true}, &result)
	return result.Result.Value, err
}
