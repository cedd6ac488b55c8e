package mcpb

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

// CallTool calls a tool and returns its CallToolResult as the page gave it, byte for byte, isError included. args is
// a JSON object; nil means {}. The call is sent once; it is never repeated.
//
// progress, if not nil, gets the params of each notifications/progress of this call, always before CallTool returns.
// When ctx ends, CallTool tells the page and returns ctx's error at once. Other errors are *RPCError,
// ErrServerStopped, ErrInterrupted, ErrTooLarge, the reason given to Close, and the send's own.
func (c *Client) CallTool(ctx context.Context, name string, args json.RawMessage,
	progress func(params json.RawMessage)) (json.RawMessage, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	if args == nil {
		args = json.RawMessage("{}")
	}
	result, err := c.wire.call(ctx, "tools/call", 1, progress, func(id int64) any {
		p := callParams{Name: name, Arguments: args}
		if progress != nil {
			p.Meta = &callMeta{ProgressToken: id}
		}
		return p
	})
	if err == nil && interrupted(result) {
		return nil, ErrInterrupted
	}
	return result, err
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
	if err := c.wire.closedErr(); err != nil {
		return err
	}
	if !c.connected.Load() {
		return ErrNotConnected
	}
	return nil
}

// interrupted recognizes what @mcp-b/global 2.x answers to all pending requests when the page begins to unload: a
// result of the same shape for all methods, which could be taken for a tool's success.
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
