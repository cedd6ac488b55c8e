package agent

import (
	"fmt"
	"io"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/jsonrpc"
)

// Print writes a result: its text as it stands, the rest as JSON.
func Print(w io.Writer, r *mcp.CallToolResult) {
	for _, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok {
			fmt.Fprintln(w, t.Text)
			continue
		}
		raw, err := jsonrpc.Encode(c)
		if err == nil {
			fmt.Fprintln(w, string(raw))
		}
	}
}
