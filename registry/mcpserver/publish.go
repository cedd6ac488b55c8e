package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"webmcphub/registry"
)

// publish puts page tools on mcp-go's server.
func (s *Server) publish(tools []*registry.HubTool) {
	all := make([]server.ServerTool, len(tools))
	for i, t := range tools {
		all[i] = server.ServerTool{Tool: forMCP(t.Name, t.Description, t.InputSchema, t.Encoded), Handler: s.handle}
	}
	if s.addTools(all) == nil {
		return
	}
	for i := range all { // one of them is bad: find it and do without
		if p := s.addTools(all[i : i+1]); p != nil {
			s.log.Error("tool refused by the MCP server", "tool", all[i].Tool.Name, "panic", p)
		}
	}
}

func (s *Server) publishStatic() {
	for _, t := range s.static {
		s.mcp.AddTool(forMCP(t.name, t.description, t.input, t.encoded), s.handle)
	}
}

// addTools reports the panic by which mcp-go refuses a schema.
func (s *Server) addTools(tools []server.ServerTool) (panicked any) {
	defer func() { panicked = recover() }()
	s.mcp.AddTools(tools...)
	return nil
}

// forMCP gives mcp-go's form of a tool that is encoded already.
func forMCP(name, description string, input, encoded json.RawMessage) mcp.Tool {
	t := mcp.NewToolWithRawSchema(name, description, input)
	var rest struct {
		Title        string             `json:"title"`
		OutputSchema json.RawMessage    `json:"outputSchema"`
		Annotations  mcp.ToolAnnotation `json:"annotations"`
	}
	if json.Unmarshal(encoded, &rest) == nil {
		t.Title, t.RawOutputSchema, t.Annotations = rest.Title, rest.OutputSchema, rest.Annotations
	}
	return t
}

// handle serves a call that comes through mcp-go, by the same way as any other.
func (s *Server) handle(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := toolCall{name: req.Params.Name, args: req.Params.RawArguments, cancel: cancel}
	from, ok := ctx.Value(originKey{}).(origin)
	if ok {
		c.out, c.request = from.session.out, from.request
		if req.Params.Meta != nil && req.Params.Meta.ProgressToken != nil {
			c.token, _ = json.Marshal(req.Params.Meta.ProgressToken)
		}
	}
	answer := s.call(ctx, c)
	if answer.err != nil {
		return mcp.NewToolResultError(answer.err.Message), nil
	}
	var result mcp.CallToolResult
	if err := json.Unmarshal(answer.result, &result); err != nil {
		return mcp.NewToolResultText(string(answer.result)), nil
	}
	// A page has no say in mcp-go's dialogue with the client.
	result.ResultType, result.MultiRoundTripResult = "", mcp.MultiRoundTripResult{}
	return &result, nil
}
