package cdptest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
)

// MCPServer is a small MCP server for [Page.ServeMCP], in the manner of
// @mcp-b/global: tools/list is not paged, errors of tools are results.
type MCPServer struct {
	mu    sync.Mutex
	tools []Tool
	calls map[string]context.CancelFunc // by request id

	capabilities obj
	answer       func(method string, params json.RawMessage) any
}

// Offer has the server announce capabilities besides tools, and answer the
// requests of other methods by answer's result; nil means that there is no
// such method. Call it before the server is served.
func (m *MCPServer) Offer(capabilities map[string]any, answer func(method string, params json.RawMessage) any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.capabilities, m.answer = capabilities, answer
}

func (m *MCPServer) offered(method string, params json.RawMessage) any {
	m.mu.Lock()
	answer := m.answer
	m.mu.Unlock()
	if answer == nil {
		return nil
	}
	return answer(method, params)
}

// NewMCPServer makes a server with these tools. The context of a call ends when
// the hub cancels it; as MCP has it, there is no answer then.
func NewMCPServer(tools ...Tool) *MCPServer {
	return &MCPServer{tools: slices.Clone(tools), calls: map[string]context.CancelFunc{}}
}

// Stop cancels the calls that still run.
func (m *MCPServer) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, cancel := range m.calls {
		cancel()
	}
}

func (m *MCPServer) begin(id string) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[id] = cancel
	return ctx
}

// end forgets a call and says whether it was cancelled.
func (m *MCPServer) end(id string, ctx context.Context) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	cancelled := ctx.Err() != nil
	m.calls[id]()
	delete(m.calls, id)
	return cancelled
}

func (m *MCPServer) cancel(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if cancel := m.calls[id]; cancel != nil {
		cancel()
	}
}

// ListChanged is the payload that tells of new tools, for [Page.FromPage].
var ListChanged = json.RawMessage(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)

// SetTools replaces the tools. Send [ListChanged] to tell the hub.
func (m *MCPServer) SetTools(tools ...Tool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tools = slices.Clone(tools)
}

// Handle is the [MCPHandler].
func (m *MCPServer) Handle(payload json.RawMessage) []json.RawMessage {
	if string(payload) == `"mcp-check-ready"` {
		return []json.RawMessage{json.RawMessage(`"mcp-server-ready"`)}
	}
	var r struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ProtocolVersion string
			Name            string
			Arguments       json.RawMessage
			RequestID       json.RawMessage
		}
	}
	if json.Unmarshal(payload, &r) != nil {
		return nil
	}
	if r.ID == nil {
		if r.Method == "notifications/cancelled" {
			m.cancel(string(r.Params.RequestID))
		}
		return nil
	}
	var result any
	switch r.Method {
	case "initialize":
		capabilities := obj{"tools": obj{"listChanged": true}}
		m.mu.Lock()
		maps.Copy(capabilities, m.capabilities)
		m.mu.Unlock()
		result = obj{"protocolVersion": r.Params.ProtocolVersion, "capabilities": capabilities,
			"serverInfo": obj{"name": "page-webmcp", "version": "1.0.0"}}
	case "ping":
		result = obj{}
	case "tools/list":
		result = obj{"tools": m.list()}
	case "tools/call":
		ctx := m.begin(string(r.ID))
		result = m.call(ctx, r.Params.Name, r.Params.Arguments)
		if m.end(string(r.ID), ctx) {
			return nil
		}
	default:
		var whole struct{ Params json.RawMessage }
		_ = json.Unmarshal(payload, &whole) // it was read before
		result = m.offered(r.Method, whole.Params)
	}
	answer := obj{"jsonrpc": "2.0", "id": r.ID, "result": result}
	if result == nil {
		delete(answer, "result")
		answer["error"] = obj{"code": -32601, "message": "Method not found or tool not found"}
	}
	return []json.RawMessage{mustJSON(answer)}
}

func (m *MCPServer) list() []obj {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []obj{}
	for _, t := range m.tools {
		o := obj{"name": t.Name, "description": t.Description, "inputSchema": t.Schema}
		if t.Schema == nil {
			o["inputSchema"] = obj{"type": "object"}
		}
		if t.Title != "" {
			o["title"] = t.Title
		}
		if t.Output != nil {
			o["outputSchema"] = t.Output
		}
		hints := obj{}
		for hint, value := range t.ServerHints {
			hints[hint] = value
		}
		if t.ReadOnly != nil {
			hints["readOnlyHint"] = *t.ReadOnly
		}
		if len(hints) > 0 {
			o["annotations"] = hints
		}
		list = append(list, o)
	}
	return list
}

// call gives nil for an unknown tool.
func (m *MCPServer) call(ctx context.Context, name string, args json.RawMessage) any {
	m.mu.Lock()
	i := slices.IndexFunc(m.tools, func(t Tool) bool { return t.Name == name })
	var tool Tool
	if i >= 0 {
		tool = m.tools[i]
	}
	m.mu.Unlock()
	if i < 0 {
		return nil
	}
	var v any = "ok"
	var err error
	if tool.Execute != nil {
		v, err = tool.Execute(ctx, args)
	}
	text := func(s string) []obj { return []obj{{"type": "text", "text": s}} }
	if err != nil {
		return obj{"content": text(err.Error()), "isError": true}
	}
	if s, ok := v.(string); ok {
		return obj{"content": text(s), "structuredContent": obj{"result": s}, "isError": false}
	}
	return obj{"content": text(string(mustJSON(v))), "structuredContent": v, "isError": false}
}
