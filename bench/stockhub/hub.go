package stockhub

import (
	"context"
	"encoding/json"
	"io"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"webmcphub/bench/plainhub"
	"webmcphub/cdpclient"
)

// Hub is plainhub's pages with mcp-go's server.
type Hub struct {
	*plainhub.Hub
	server *server.MCPServer
}

// Start connects to Chrome over a wire, which the hub owns.
func Start(w cdpclient.Wire) *Hub {
	h := &Hub{server: server.NewMCPServer("stock", "1", server.WithToolCapabilities(true))}
	ready := make(chan struct{})
	h.Hub = plainhub.Start(w, &sink{h, ready})
	close(ready)
	return h
}

// ServeStdio serves the one client until its input or ctx ends.
func (h *Hub) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	err := server.NewStdioServer(h.server).Listen(ctx, in, out)
	if err == io.EOF {
		return nil
	}
	return err
}

// sink passes every change on to mcp-go.
type sink struct {
	hub   *Hub
	ready chan struct{} // closed when hub.Hub is set
}

func (s *sink) Add(t *plainhub.Tool) {
	<-s.ready
	s.hub.server.AddTool(mcp.NewToolWithRawSchema(t.Name, t.Description, t.Schema), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, err := json.Marshal(r.GetArguments())
		if err != nil {
			return nil, err
		}
		raw := json.RawMessage(s.hub.Call(ctx, t, args))
		return mcp.ParseCallToolResult(&raw)
	})
}

func (s *sink) Remove(names []string) {
	<-s.ready
	s.hub.server.DeleteTools(names...)
}
