package stockhub

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"webmcphub/bench/plainhub"
	"webmcphub/cdpclient"
)

// Hub is plainhub's pages with mcp-go's server.
type Hub struct {
	*plainhub.Hub
	server *server.MCPServer
	pacer  *pacer // nil if mcp-go itself notifies, at each change
}

// Start connects to Chrome over a wire, which the hub owns. Clients are notified
// at each change.
func Start(w cdpclient.Wire) *Hub {
	return start(w, &Hub{server: server.NewMCPServer("stock", "1", server.WithToolCapabilities(true))})
}

// StartCoalesced is [Start], but clients are notified of the first change at
// once and of those that follow once an interval; 0 is 10 ms.
func StartCoalesced(w cdpclient.Wire, interval time.Duration) *Hub {
	if interval <= 0 {
		interval = 10 * time.Millisecond
	}
	// With this capability mcp-go would notify by itself; so it is announced without it.
	announce := &server.Hooks{}
	announce.AddAfterInitialize(func(_ context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.Capabilities.Tools.ListChanged = true
	})
	s := server.NewMCPServer("stock", "1", server.WithToolCapabilities(false), server.WithHooks(announce))
	return start(w, &Hub{server: s, pacer: &pacer{interval: interval, tell: func() {
		s.SendNotificationToAllClients(mcp.MethodNotificationToolsListChanged, nil)
	}}})
}

func start(w cdpclient.Wire, h *Hub) *Hub {
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

// sink passes every change on to mcp-go, at once.
type sink struct {
	hub   *Hub
	ready chan struct{} // closed when hub.Hub is set
}

func (s *sink) Add(t *plainhub.Tool) {
	<-s.ready
	s.hub.server.AddTool(mcp.NewToolWithRawSchema(t.Name, t.Description, t.Schema),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := json.Marshal(r.GetArguments())
			if err != nil {
				return nil, err
			}
			raw := json.RawMessage(s.hub.Call(ctx, t, args))
			return mcp.ParseCallToolResult(&raw)
		})
	s.notify()
}

func (s *sink) Remove(names []string) {
	<-s.ready
	s.hub.server.DeleteTools(names...)
	s.notify()
}

func (s *sink) notify() {
	if s.hub.pacer != nil {
		s.hub.pacer.change()
	}
}
