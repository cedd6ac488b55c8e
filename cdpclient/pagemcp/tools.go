package pagemcp

import (
	"bytes"
	"context"
	"encoding/json"
)

// Tool is one entry of the page's tools/list. Texts and schemas are the page's own, neither checked nor changed.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	// OutputSchema, Annotations and Meta are nil if the page gave none.
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
	Meta         json.RawMessage `json:"_meta"`
}

// ListTools reads the whole list, in the server's order. It leaves out entries that are not tools.
func (c *Client) ListTools(ctx context.Context) ([]Tool, error) {
	return listAll(ctx, c, "tools/list", "tools", func(t Tool) bool { return t.Name != "" })
}

// CallTool begins a call of a tool. The caller carries the payload into the page, once; the answer is delivered like
// any other payload of the page. args is a JSON object; nil means {}.
//
// progress, if not nil, gets the params of each notifications/progress of this call, always before ended is called.
// ended gets the call's CallToolResult as the page gave it, byte for byte, isError included, or an error: *RPCError,
// ErrServerStopped, ErrInterrupted, ErrTooLarge, or the reason given to Close. It is called once, by Deliver,
// DeliverOversize or Close, unless cancel is called before. cancel ends the call and sends the page a cancellation,
// without waiting for that; once the call has ended, it does nothing. If CallTool returns an error, there is no call.
func (c *Client) CallTool(name string, args json.RawMessage, progress func(params json.RawMessage),
	ended func(result json.RawMessage, err error)) (payload json.RawMessage, cancel func(), err error) {
	if err := c.usable(); err != nil {
		return nil, nil, err
	}
	if args == nil {
		args = json.RawMessage("{}")
	}
	p := &pending{progress: progress, answered: func(a answer) {
		if a.err == nil && interrupted(a.result) {
			a = answer{err: ErrInterrupted}
		}
		ended(a.result, a.err)
	}}
	id, payload, err := c.begin(p, "tools/call", func(id int64) any {
		p := callParams{Name: name, Arguments: args}
		if progress != nil {
			p.Meta = &callMeta{ProgressToken: id}
		}
		return p
	})
	return payload, func() { c.cancel(id, context.Canceled) }, err
}

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      *callMeta       `json:"_meta,omitempty"`
}

type callMeta struct {
	ProgressToken int64 `json:"progressToken"`
}

// usable returns an error if the client can't be used now.
func (c *Client) usable() error {
	if err := c.closedErr(); err != nil {
		return err
	}
	if !c.connected.Load() {
		return ErrNotConnected
	}
	return nil
}

// interrupted reports whether a result is the one with which @mcp-b/global 2.x answers all pending requests when the
// page begins to unload. It is the same for all methods, and looks like a tool's success.
func interrupted(result json.RawMessage) bool {
	if !bytes.Contains(result, []byte(`"navigationInterrupted"`)) {
		return false
	}
	var r struct {
		Metadata struct {
			NavigationInterrupted bool `json:"navigationInterrupted"`
		} `json:"metadata"`
	}
	return json.Unmarshal(result, &r) == nil && r.Metadata.NavigationInterrupted
}
