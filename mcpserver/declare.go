package mcpserver

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// declaring returns hooks that add to the server's description of itself what depends on the pages that are open when
// a client asks. MCP has no message that announces a change of this.
func (s *Server) declaring() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *mcp.InitializeRequest, r *mcp.InitializeResult) {
		r.Capabilities.Experimental = s.experimental()
	})
	hooks.AddAfterDiscover(func(_ context.Context, _ any, _ *mcp.DiscoverRequest, r *mcp.DiscoverResult) {
		declareTasks(r)
		r.Capabilities.Experimental = s.experimental()
	})
	return hooks
}

// experimental returns the experimental capabilities, or nil if there are none to declare.
func (s *Server) experimental() map[string]any {
	pages := s.catalog().Offered().Browser()
	browser := s.options.Capabilities.Declared(pages, s.options.PageRequests != Never)
	if !browser.MultiTabSupport {
		return nil
	}
	return map[string]any{"browser": browser}
}
