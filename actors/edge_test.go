package actors_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "webmcphub/actors"
	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// TestEdgeCases has those of the specification (part F) that need a page.
// The races during a sync are in TestSyncGuard; what only counts pages and
// names is in package registry.
func TestEdgeCases(t *testing.T) {
	t.Run("handles WebMCP connection failure gracefully", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("native"))
			p.On(cdpclient.RuntimeCallFunctionOn, func(cdptest.Command) (any, error) { return nil, errors.New("no") })
			h.Serve(p.Main(), Tool("server"))
			fakeclock.Elapse(time.Minute)
			h.Want("shop_test_page0_native")
			h.CallSays("shop_test_page0_native", `{}`, "ok")
		})
	})
	t.Run("handles tool execution when connection lost", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			h.Chrome.Disconnect()
			h.Want()
			h.BeginTool(context.Background(), add, `{}`).Fails("its page is gone")
			fakeclock.Elapse(browser.FirstBackoff)
			h.Want("shop_test_page0_add")
			if n := Sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Error("the page was called")
			}
		})
	})
	t.Run("returns error result when page navigated during call", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			w := NewSlow()
			p := h.Offer(w.Tool("wait"))
			c := h.Begin("shop_test_page0_wait", `{}`)
			p.Navigate("http://news.test/")
			c.Fails("The page navigated to http://news.test/ while tool \"wait\" ran")
		})
	})
	t.Run("tracks tools correctly across multiple pages", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			var pages []*cdptest.Page
			for range 4 {
				p := h.Chrome.OpenPage(Shop)
				p.Register(Tool("add"))
				pages = append(pages, p)
			}
			h.Want("shop_test_page0_add", "shop_test_page1_add", "shop_test_page2_add", "shop_test_page3_add")
			pages[1].Close()
			pages[3].Navigate(Cart)
			pages[2].Register(Tool("buy"))
			h.Want("shop_test_page0_add", "shop_test_page1_add", "shop_test_page1_buy")
			h.CallSays("shop_test_page1_buy", `{}`, "ok")
			if Sent(pages[2], cdpclient.WebMCPInvokeTool) != 1 {
				t.Error("another page was called")
			}
		})
	})
	t.Run("one bad tool hides no other", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Offer(cdptest.Tool{Name: strings.Repeat("x", 300)}, Tool("add"))
			h.Want("shop_test_page0_add")
			if n := h.Log.Count(0, "was refused"); n != 1 {
				t.Errorf("logged %d times", n)
			}
		})
	})
}

// pipeClient speaks to the real MCP server over a pipe, a line a message.
type pipeClient struct {
	t     *testing.T
	in    io.Writer
	lines chan string
}

func (c *pipeClient) send(line string) {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Error(err)
	}
}

// next is the next line, which must be there without any time going by.
func (c *pipeClient) next(want string) {
	c.t.Helper()
	synctest.Wait()
	select {
	case line := <-c.lines:
		if !strings.Contains(line, want) {
			c.t.Errorf("got %s, want %q in it", line, want)
		}
	default:
		c.t.Errorf("nothing comes, want %q", want)
	}
}

type caller struct{ hub *Hub }

func (c *caller) Call(ctx context.Context, call calls.Call) registry.Result {
	return c.hub.Call(ctx, call.Tool, call.Args, CallExtras{Progress: call.Progress})
}

// TestWithServer runs the whole hub, from the fake Chrome to a client's wire.
func TestWithServer(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		reach := &caller{}
		server := mcpserver.New(mcpserver.Options{Version: "1"}, reach)
		h := Prepare(t, func(o *Options) { o.Publisher = server })
		h.Start()
		reach.hub = h.Hub

		serverIn, in := io.Pipe()
		out, serverOut := io.Pipe()
		c := &pipeClient{t, in, make(chan string, 100)}
		served := make(chan error, 1)
		go func() {
			served <- server.ServeStdio(context.Background(), serverIn, serverOut)
			serverOut.Close()
		}()
		go func() {
			for s := bufio.NewScanner(out); s.Scan(); {
				c.lines <- s.Text()
			}
		}()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		c.next(`"listChanged":true`)
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		c.next(`"id":2`)

		p := h.Chrome.OpenPage(Shop)
		h.Quiet()
		p.Register(cdptest.Tool{Name: "buy", Execute: func(context.Context, json.RawMessage) (any, error) {
			p.Unregister("buy")
			p.Register(Tool("pay"))
			return "bought", nil
		}})
		c.next(`list_changed`)
		c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
		c.next(`"webmcp_shop_test_page0_buy"`)

		// The result first, then the news that the call's page changed.
		c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"webmcp_shop_test_page0_buy","arguments":{}}}`)
		c.next(`bought`)
		h.Quiet()
		c.next(`list_changed`)
		c.send(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
		c.next(`"webmcp_shop_test_page0_pay"`)

		p.Close()
		h.Quiet()
		c.next(`list_changed`)
		c.send(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"webmcp_shop_test_page0_pay","arguments":{}}}`)
		c.next(`"isError":true`)
		in.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		h.StopNow()
	})
}
