package mcpserver

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"webmcphub/mcpserver/mcphttp"
)

// HTTPOptions are those of the transport over HTTP.
type HTTPOptions = mcphttp.Options

// HTTPPath is where MCP is served over HTTP.
const HTTPPath = mcphttp.Path

// ServeEachOverHTTP serves the clients of several servers on one listener, see [mcphttp.ServeEach].
func ServeEachOverHTTP(ctx context.Context, l net.Listener, o HTTPOptions, whom func(token string) http.Handler,
	end func(cause error), log *slog.Logger) error {
	return mcphttp.ServeEach(ctx, l, o, whom, end, log)
}
