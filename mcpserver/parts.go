package mcpserver

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/mcphttp"
	"webmcphub/mcpserver/view"
)

// The types of the packages below that users of this package need.
type (
	View            = view.View
	Mode            = view.Mode
	Caller          = calls.Caller
	Call            = calls.Call
	CallRecord      = calls.Record
	Browser         = calls.Browser
	BrowserOptions  = calls.BrowserOptions
	Unreachable     = calls.Unreachable
	Automation      = calls.Automation
	AutomationTool  = calls.AutomationTool
	AutomationCall  = calls.AutomationCall
	ErrorWithAdvice = calls.ErrorWithAdvice
	Oversight       = calls.Oversight
	PinAsker        = calls.PinAsker
	Trust           = calls.Trust
	Action          = calls.Action
	Refusal         = calls.Refusal
	HTTPOptions     = mcphttp.Options
)

// The modes of a view.
const (
	AllTabs    = view.AllTabs
	FocusedTab = view.FocusedTab
)

// HTTPPath is where MCP is served over HTTP.
const HTTPPath = mcphttp.Path

// ServeEachOverHTTP serves the clients of several servers on one listener, see [mcphttp.ServeEach].
func ServeEachOverHTTP(ctx context.Context, l net.Listener, o HTTPOptions, whom func(token string) http.Handler,
	end func(cause error), log *slog.Logger) error {
	return mcphttp.ServeEach(ctx, l, o, whom, end, log)
}
