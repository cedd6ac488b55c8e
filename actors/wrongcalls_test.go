package actors

import (
	"context"
	"strings"
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
)

func TestWrongCalls(t *testing.T) {
	t.Run("of a tool that the page took away", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			p.Unregister("add")
			h.want()
			h.beginTool(context.Background(), add, `{}`).fails("no longer offers it")
		})
	})
	t.Run("of a tool that Chrome doesn't know any more", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			release := h.dialer.stallAt(cdpclient.WebMCPToolsRemoved) // on its way
			p.Unregister("add")
			c := h.beginTool(context.Background(), add, `{}`)
			release()
			c.fails("Tool not found")
		})
	})
	t.Run("of a tool that the page takes away before the call is there", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.dialer.editing(func(msg []byte) [][]byte { // Chromium took the call, its page's process didn't
				return [][]byte{[]byte(strings.Replace(string(msg), `"status":"Completed","output":"ok"`, `"status":"Error","errorText":"Tool not found: add"`, 1))}
			})
			h.offer(tool("add"))
			h.begin("shop_test_page0_add", `{}`).fails(`tool "add" could not be called: its page no longer offers it`)
		})
	})
	t.Run("of an old document", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.Serve(cart, cdptest.Site{Tools: []cdptest.Tool{tool("add")}})
			p := h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			p.Navigate(cart)
			h.want("shop_test_page0_add")
			h.beginTool(context.Background(), add, `{}`).fails("has navigated to " + cart)
			if n := sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Error("the call reached another document than the one that the client saw")
			}
		})
	})
	t.Run("of an old document of a frame", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			f := h.frame(p.Main(), shop+"inner")
			f.Register(tool("pay"))
			h.quiet()
			pay := h.tool("shop_test_page0_pay")
			f.Navigate(shop + "inner2")
			f.Register(tool("pay"))
			h.want("shop_test_page0_pay")
			h.beginTool(context.Background(), pay, `{}`).fails("its frame has navigated")
		})
	})
	t.Run("of a frame that is gone", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			f := h.frame(p.Main(), shop+"inner")
			f.Register(tool("pay"))
			h.quiet()
			pay := h.tool("shop_test_page0_pay")
			f.Remove()
			h.want()
			h.beginTool(context.Background(), pay, `{}`).fails("its frame is gone")
		})
	})
	t.Run("of a page that is gone", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			p.Close()
			h.want()
			h.beginTool(context.Background(), add, `{}`).fails("its page is gone")
		})
	})
	t.Run("of a crashed page", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			p.Crash()
			h.want()
			h.beginTool(context.Background(), add, `{}`).fails("crashed")
		})
	})
	// P3: a message behind an actor's end is dropped without a word.
	t.Run("to a page whose actor is about to end", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			release := h.stopActor(p)
			before := h.beginTool(context.Background(), add, `{}`)
			p.Close()
			release()
			before.fails("was closed")
		})
	})
	t.Run("to a page whose actor has just ended", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			add := h.tool("shop_test_page0_add")
			ref, _ := h.pages.Load(add.Route.Page)
			p.Close()
			h.quiet()
			h.pages.Store(add.Route.Page, ref) // as a caller has it who looked a moment before
			h.beginTool(context.Background(), add, `{}`).fails("was closed")
		})
	})
	t.Run("with a context that has ended never reach the page", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer(tool("add"))
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			h.beginTool(ctx, h.tool("shop_test_page0_add"), `{}`).fails("cancelled")
			if n := sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Error("the page was called")
			}
		})
	})
}
