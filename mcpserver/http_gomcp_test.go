package mcpserver

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	goclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
)

// dial connects mcp-go's own client, for one protocol version.
func (w *web) dial(t *testing.T, version string) (c *goclient.Client, notes <-chan mcp.JSONRPCNotification) {
	t.Helper()
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPBasicClient(w.client),
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + testToken}),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)),
	}
	if !mcp.IsModernProtocol(version) {
		options = append(options, transport.WithContinuousListening())
	}
	c, err := goclient.NewStreamableHttpClient(w.url, options...)
	if err != nil {
		t.Fatal(err)
	}
	if !mcp.IsModernProtocol(version) {
		goclient.WithLegacyProtocolOnly()(c) //lint:ignore SA1019 most clients still speak it
	}
	told := make(chan mcp.JSONRPCNotification, 1000)
	c.OnNotification(func(n mcp.JSONRPCNotification) { told <- n })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = version
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return c, told
}

func TestHTTPGoClient(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			cancelled, asked, release := make(chan error, 1), make(chan struct{}, 1), make(chan struct{})
			h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
				switch c.Tool.Route.Tool {
				case "slow":
					asked <- struct{}{}
					select {
					case <-ctx.Done():
						cancelled <- context.Cause(ctx)
					case <-release:
						cancelled <- nil
					}
				case "steps":
					c.Progress([]byte(`{"progress":1,"total":2,"message":"half"}`))
				}
				return echo(ctx, c)
			})
			h.page("A", "https://a.test/", `add {"type":"object","properties":{"n":{"type":"integer"}}}`, "slow", "steps")
			w := h.onWire(t)
			c, notes := w.dial(t, version)
			if c.ProtocolVersion() != version {
				t.Fatalf("speaks %s", c.ProtocolVersion())
			}
			note := func(method string) mcp.JSONRPCNotification {
				t.Helper()
				for {
					select {
					case n := <-notes:
						if n.Method == method {
							return n
						}
					case <-time.After(time.Minute):
						t.Fatalf("%s did not come", method)
					}
				}
			}
			if version == "2026-07-28" {
				stop, err := c.ListenAsync(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer stop()
				note("notifications/subscriptions/acknowledged")
			}
			list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
			if err != nil || len(list.Tools) != len(ownTools)+3 {
				t.Fatalf("%v %+v", err, list)
			}
			var call mcp.CallToolRequest
			call.Params.Name, call.Params.Arguments = "webmcp_a_test_page0_add", map[string]any{"n": 1}
			if result, err := c.CallTool(t.Context(), call); err != nil || textOf(result) != `A/add {"n":1}` {
				t.Errorf("%v %+v", err, result)
			}
			call.Params.Arguments = map[string]any{"n": "one"}
			if result, err := c.CallTool(t.Context(), call); err != nil || !result.IsError || !strings.Contains(textOf(result), "integer") {
				t.Errorf("%v %+v", err, result)
			}
			call.Params.Name, call.Params.Arguments = "webmcp_a_test_page0_steps", nil
			call.Params.Meta = &mcp.Meta{ProgressToken: "p"}
			if result, err := c.CallTool(t.Context(), call); err != nil || textOf(result) != `A/steps {}` {
				t.Errorf("%v %+v", err, result)
			}
			note("notifications/progress")
			call.Params.Meta = nil

			h.change(tools("A", 1, "slow", "other"))
			note("notifications/tools/list_changed")
			if list, err = c.ListTools(t.Context(), mcp.ListToolsRequest{}); err != nil || len(list.Tools) != len(ownTools)+2 {
				t.Errorf("%v %+v", err, list)
			}

			call.Params.Name = "webmcp_a_test_page0_slow"
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-asked
				cancel()
			}()
			if _, err := c.CallTool(ctx, call); err == nil {
				t.Error("the call was not cancelled")
			}
			want := wire.ErrCancelled
			if version != "2026-07-28" { // this client only leaves; that cancels since then
				want = nil
				close(release)
			}
			if cause := <-cancelled; cause != want {
				t.Errorf("cancelled by %v", cause)
			}
		})
	}
}

func textOf(r *mcp.CallToolResult) string {
	if r == nil || len(r.Content) == 0 {
		return ""
	}
	text, _ := mcp.AsTextContent(r.Content[0])
	if text == nil {
		return ""
	}
	return text.Text
}

// A client that would rather speak the newest protocol finds its way to a
// session where it needs one.
func TestHTTPGoClientInFocusMode(t *testing.T) {
	h, _ := newTabHub(t, view.FocusedTab)
	w := h.onWire(t)
	c, _ := w.dial(t, "2026-07-28")
	if c.ProtocolVersion() != "2025-11-25" {
		t.Fatalf("speaks %s", c.ProtocolVersion())
	}
	var call mcp.CallToolRequest
	call.Params.Name = "connect_browser"
	if result, err := c.CallTool(t.Context(), call); err != nil || result.IsError {
		t.Fatalf("%v %+v", err, result)
	}
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(list.Tools) != 3 {
		t.Errorf("%v %+v", err, list)
	}
}
