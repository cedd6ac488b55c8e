package actors

import (
	"context"
	"encoding/json"

	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"

	"webmcphub/registry"
)

// Ask sends a request to a page's own MCP server. It always returns: with the server's answer, or with a
// [registry.PageError]. When ctx ends, it cancels the request in the page and returns at once. params is a JSON
// object without _meta. progress, if not nil, is called with the params of the page's progress notifications.
func (h *Hub) Ask(ctx context.Context, server registry.DocumentRef, method string, params json.RawMessage,
	progress func(json.RawMessage)) (json.RawMessage, error) {
	return cdp.AskServer(ctx, h.tabs, h.address(server.Page), server, method, params, progress)
}

// SetLogLevel asks all pages' own MCP servers, including later ones, for log messages of that level (one of MCP's)
// and above. It returns at once.
func (h *Hub) SetLogLevel(level string) {
	h.tabs.LogLevel.Store(&level)
	h.pages.Range(func(_, to any) bool {
		h.root.Send(to.(*tab.Address).PID, cdp.LogLevelSet{})
		return true
	})
}
