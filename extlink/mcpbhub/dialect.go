package mcpbhub

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"webmcphub/extlink"
	"webmcphub/internal/jsonrpc"
)

// Proxy describes an MCP-B proxy as a peer. MCP-B has no keep-alive message; if a proxy's process is gone, the system
// closes the connection.
var Proxy = extlink.Peer{Subprotocol: "mcp-b.v1", Role: "proxy", Called: "an MCP-B proxy", MayBeSilent: true,
	SendsToken: true}

// dialect is the [extlink.Dialect] of one proxy, with what the proxy has reported about its tab.
type dialect struct {
	can extlink.Capabilities
	tab tab // belongs to Hear

	mu         sync.Mutex                 // held to set extensions, and to read them outside of Hear
	extensions map[string]json.RawMessage // those of the registration
}

// Translate makes a link of a wire to an MCP-B proxy. The proxy may name its tab in params.extensions.instance, a
// string: a newer connection with the same instance and origin then replaces the older one.
func Translate(proxy extlink.Wire, can extlink.Capabilities) extlink.Link {
	return struct {
		extlink.Wire
		*dialect
	}{proxy, &dialect{can: can}}
}

// Peer returns [Proxy].
func (*dialect) Peer() extlink.Peer { return Proxy }

// Tell sends an order to the proxy, or answers that proxies don't carry out such orders.
func (d *dialect) Tell(o extlink.Order, l *extlink.Line) error {
	switch o := o.(type) {
	case extlink.CallTool:
		params, err := d.execution(o)
		if err != nil {
			return err
		}
		l.Send(jsonrpc.Request(jsonrpc.MustEncode(o.CallID), executeTool, params).Bytes())
	case extlink.CancelTool:
		l.Send(jsonrpc.Notification(cancelled, jsonrpc.MustEncode(map[string]string{"requestId": o.CallID})).Bytes())
	case extlink.PageAnswer:
		frame := jsonrpc.Result(json.RawMessage(o.RequestID), o.Result)
		if o.Error != nil {
			frame = jsonrpc.Failure(json.RawMessage(o.RequestID), o.Error)
		}
		l.Send(frame.Bytes())
	case extlink.OpenTab:
		opensNone(l, o.RequestID)
	case extlink.FocusTab:
		opensNone(l, o.RequestID)
	case extlink.CloseTab:
		opensNone(l, o.RequestID)
	}
	return nil
}

func opensNone(l *extlink.Line, request string) {
	l.Deliver(extlink.OrderResult{RequestID: request, Error: "an MCP-B proxy opens, focuses and closes no tabs"})
}

// execution returns a call's params. They have the extensions of the call and of the registration. The call's can't
// replace the registration's, which the proxy has set.
func (d *dialect) execution(call extlink.CallTool) (json.RawMessage, error) {
	if len(call.Args) == 0 {
		call.Args = json.RawMessage("{}")
	}
	extensions := map[string]json.RawMessage{}
	if call.Extensions != nil {
		if err := json.Unmarshal(call.Extensions, &extensions); err != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	maps.Copy(extensions, d.extensions)
	d.mu.Unlock()
	return json.Marshal(execution{call.ToolName, call.Args, extensions, call.Meta})
}

// Hear handles a message of the proxy, and answers those that concern only the hub.
func (d *dialect) Hear(raw []byte, l *extlink.Line) {
	m, err := jsonrpc.Parse(raw)
	switch {
	case err == nil:
	case err.Code == jsonrpc.CodeInvalidParams:
		refuse(l, m, jsonrpc.Errorf(err.Code, "params must be an object"))
		return
	default:
		ignore(l, m, "it is not a JSON-RPC 2.0 message")
		return
	}
	switch m.Method {
	case "":
		d.result(m, l)
	case registerTools, updateTools:
		d.registered(m, l)
	case elicit, elicitConfirmation, sample, listRoots:
		d.requested(m, l)
	case progress:
		progressed(m, l)
	case cancelled:
		withdrawn(m, l)
	case "initialize":
		d.declared(m, l)
		answer(l, m, map[string]any{
			"protocolVersion": "2025-06-18",
			"capabilities":    map[string]any{"browser": d.can, "tools": map[string]any{"listChanged": true}},
			"serverInfo":      map[string]any{"name": "webmcp-hub", "version": "1"},
		})
	case "ping":
		answer(l, m, struct{}{})
	default:
		if m.ID != nil {
			refuse(l, m, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "unknown method"))
		}
	}
}

func answer(l *extlink.Line, m jsonrpc.Message, result any) {
	if m.ID != nil {
		l.Send(jsonrpc.Result(m.ID, jsonrpc.MustEncode(result)).Bytes())
	}
}

// refuse answers a request with an error, and logs a notification.
func refuse(l *extlink.Line, m jsonrpc.Message, why *jsonrpc.Error) {
	if m.ID == nil {
		ignore(l, m, why.Message)
		return
	}
	l.Send(jsonrpc.Failure(m.ID, why).Bytes())
}

func ignore(l *extlink.Line, m jsonrpc.Message, why string) {
	l.Ignored(slog.LevelDebug, why, "method", fmt.Sprintf("%.64s", m.Method))
}

// result handles the answer to a call.
func (d *dialect) result(m jsonrpc.Message, l *extlink.Line) {
	id, ok := jsonrpc.Text(m.ID)
	if !ok {
		ignore(l, m, "it answers no request")
		return
	}
	result, failure := m.Answer()
	toolResult := extlink.ToolResult{CallID: id}
	var r executed
	switch {
	case failure != nil && failure.Code == TabNotFound:
		d.lost(id, l)
		return
	case failure != nil:
		toolResult.Failed, toolResult.Error = true, failure.Message
	case json.Unmarshal(result, &r) != nil || r.Success == nil:
		toolResult.Failed = true
		toolResult.Error = "the MCP-B proxy's answer is not {success, payload}"
	default:
		toolResult.Meta = extended(r.Meta, r.Extensions)
		if *r.Success {
			toolResult.Result = r.Payload
		} else if toolResult.Failed = true; json.Unmarshal(r.Payload, &toolResult.Error) != nil {
			toolResult.Error = string(r.Payload)
		}
	}
	l.Deliver(toolResult)
}
