package mcpserver

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"webmcphub/registry/mcpserver/calls"
	"webmcphub/registry/mcpserver/lens"
	"webmcphub/registry/mcpserver/mcphttp"
)

// What users of this package need of its rooms.
type (
	View           = lens.View
	Mode           = lens.Mode
	Caller         = calls.Caller
	Call           = calls.Call
	CallRecord     = calls.Record
	Browser        = calls.Browser
	BrowserOptions = calls.BrowserOptions
	Unreachable    = calls.Unreachable
	Automation     = calls.Automation
	AutomationTool = calls.AutomationTool
	AutomationCall = calls.AutomationCall
	Advised        = calls.Advised
	Oversight      = calls.Oversight
	Withheld       = calls.Withheld
	Trust          = calls.Trust
	Deed           = calls.Deed
	Refusal        = calls.Refusal
	HTTPOptions    = mcphttp.Options
)

// The modes.
const (
	AllTabs    = lens.AllTabs
	FocusedTab = lens.FocusedTab
)

// HTTPPath is where MCP is served over HTTP.
const HTTPPath = mcphttp.Path

// ServeEachOverHTTP serves clients of several servers on one listener, as [mcphttp.ServeEach] says.
func ServeEachOverHTTP(ctx context.Context, l net.Listener, o HTTPOptions, whom func(token string) http.Handler, end func(cause error), log *slog.Logger) error {
	return mcphttp.ServeEach(ctx, l, o, whom, end, log)
}
