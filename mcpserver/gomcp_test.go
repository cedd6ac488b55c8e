package mcpserver

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	goclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// dial connects mcp-go's own client.
func (h *hub) dial(t *testing.T, options ...goclient.ClientOption) (c *goclient.Client, changed <-chan mcp.JSONRPCNotification) {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- h.ServeStdio(context.Background(), serverIn, serverOut)
		serverOut.Close()
	}()
	c = goclient.NewClient(transport.NewIO(out, in, io.NopCloser(strings.NewReader(""))), options...)
	notes := make(chan mcp.JSONRPCNotification, 100)
	c.OnNotification(func(n mcp.JSONRPCNotification) { notes <- n })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		in.Close()
		if err := <-served; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
	})
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	answer, err := c.Initialize(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	if answer.ServerInfo.Name != "webmcp" || !answer.Capabilities.Tools.ListChanged {
		t.Errorf("%+v", answer)
	}
	return c, notes
}

func TestGoClient(t *testing.T) {
	for name, options := range map[string][]goclient.ClientOption{
		//lint:ignore SA1019 most clients still speak it
		"2025-11-25": {goclient.WithLegacyProtocolOnly()},
		"2026-07-28": nil,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
				if c.Tool.Route.Tool == "slow" {
					return waitForEnd(ctx, c)
				}
				return echo(ctx, c)
			})
			h.page("A", "https://a.test/", `add {"type":"object","properties":{"n":{"type":"integer"}}}`, "slow")
			c, notes := h.dial(t, options...)
			if c.ProtocolVersion() != name {
				t.Fatalf("speaks %s", c.ProtocolVersion())
			}
			if name == "2026-07-28" {
				stop, err := c.ListenAsync(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer stop()
				if n := <-notes; n.Method != "notifications/subscriptions/acknowledged" {
					t.Fatalf("got %+v", n)
				}
			}
			list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
			if err != nil || len(list.Tools) != len(ownTools)+2 || list.Tools[len(ownTools)].Name != "webmcp_a_test_page0_add" {
				t.Fatalf("%v %+v", err, list)
			}
			call := func(name string, args any) string {
				t.Helper()
				var r mcp.CallToolRequest
				r.Params.Name, r.Params.Arguments = name, args
				result, err := c.CallTool(t.Context(), r)
				if err != nil {
					return err.Error()
				}
				return result.Content[0].(mcp.TextContent).Text
			}
			if got := call("webmcp_a_test_page0_add", map[string]any{"n": 1}); got != `A/add {"n":1}` {
				t.Error(got)
			}
			if got := call("webmcp_a_test_page0_add", map[string]any{"n": "x"}); !strings.Contains(got, "/n: expected integer") {
				t.Error(got)
			}
			if got := call("nonsense", nil); !strings.Contains(got, "no tool is called nonsense") {
				t.Error(got)
			}
			if got := call("list_webmcp_tools", nil); !strings.Contains(got, `"pages":[{"page":0`) {
				t.Error(got)
			}

			h.change(tools("A", 1, "other"))
			n := <-notes
			if n.Method != mcp.MethodNotificationToolsListChanged {
				t.Errorf("%+v", n)
			}
			if tagged := n.Params.Meta[mcp.MetaKeySubscriptionID] != nil; tagged != (name == "2026-07-28") {
				t.Errorf("%+v", n)
			}
			if got := call("webmcp_a_test_page0_add", nil); !strings.Contains(got, "is gone") {
				t.Error(got)
			}
		})
	}
}

func TestGoClientCancels(t *testing.T) {
	began, ended := make(chan bool), make(chan error, 1)
	h := newHub(t, func(ctx context.Context, c calls.Call) registry.Result {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return sanitize.ErrorResult("cancelled")
	})
	h.page("A", "https://a.test/", "slow")
	c, _ := h.dial(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	var r mcp.CallToolRequest
	r.Params.Name = "webmcp_a_test_page0_slow"
	if _, err := c.CallTool(ctx, r); err == nil {
		t.Error("no error")
	}
	if cause := <-ended; cause != wire.ErrCancelled {
		t.Error(cause)
	}
}

// A stream of 2026-07-28 ends with its request, and gets nothing afterwards.
func TestSubscriptionEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		c := h.connect(true)
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		h.page("A", "https://a.test/", "x")
		c.expect() // not asked for
		c.send(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`)
		lines := c.take()
		if len(lines) == 0 || !strings.Contains(lines[0], "acknowledged") {
			t.Fatalf("%q", lines)
		}
		h.change(tools("A", 1, "y"))
		c.expect(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`)
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		c.expect()
		h.change(tools("A", 1, "z"))
		c.expect()
		c.send(`{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{` + meta + `}}`)
		line := c.take()[0]
		if !strings.HasSuffix(line, `,"resultType":"complete","ttlMs":0,"cacheScope":"private"}}`) {
			t.Error(line)
		}
		c.hangUp()
	})
}

func TestDefaultTimeoutCanBeSwitchedOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, waitForEnd, func(o *Options, _ *registry.Options) { o.CallTimeout = -1 })
		h.page("A", "https://a.test/", "slow")
		c := h.connect(true)
		c.handshake()
		c.send(callLine("1", "webmcp_a_test_page0_slow", "{}"))
		fakeclock.Elapse(24 * time.Hour)
		c.expect()
		c.hangUp()
	})
}
