package actors_test

import (
	"context"
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
)

func TestWrongCalls(t *testing.T) {
	t.Run("of a tool that the page took away", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			p.Unregister("add")
			h.Want()
			h.BeginTool(context.Background(), add, `{}`).Fails("no longer offers it")
		})
	})
	t.Run("of a tool that Chrome doesn't know any more", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			release := h.Dialer.StallAt(cdpclient.WebMCPToolsRemoved) // on its way
			p.Unregister("add")
			c := h.BeginTool(context.Background(), add, `{}`)
			release()
			c.Fails("Tool not found")
		})
	})
	t.Run("of a tool that the page takes away before the call is there", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Dialer.Editing(func(msg []byte) [][]byte { // Chromium took the call, its page's process didn't
				return [][]byte{[]byte(strings.Replace(string(msg), `"status":"Completed","output":"ok"`, `"status":"Error","errorText":"Tool not found: add"`, 1))}
			})
			h.Offer(Tool("add"))
			h.Begin("shop_test_page0_add", `{}`).Fails(`tool "add" could not be called: its page no longer offers it`)
		})
	})
	t.Run("of an old document", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.Serve(Cart, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			p.Navigate(Cart)
			h.Want("shop_test_page0_add")
			h.BeginTool(context.Background(), add, `{}`).Fails("has navigated to " + Cart)
			if n := Sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Error("the call reached another document than the one that the client saw")
			}
		})
	})
	t.Run("of an old document of a frame", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			f := h.Frame(p.Main(), Shop+"inner")
			f.Register(Tool("pay"))
			h.Quiet()
			pay := h.Tool("shop_test_page0_pay")
			f.Navigate(Shop + "inner2")
			f.Register(Tool("pay"))
			h.Want("shop_test_page0_pay")
			h.BeginTool(context.Background(), pay, `{}`).Fails("its frame has navigated")
		})
	})
	t.Run("of a frame that is gone", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			f := h.Frame(p.Main(), Shop+"inner")
			f.Register(Tool("pay"))
			h.Quiet()
			pay := h.Tool("shop_test_page0_pay")
			f.Remove()
			h.Want()
			h.BeginTool(context.Background(), pay, `{}`).Fails("its frame is gone")
		})
	})
	t.Run("of a page that is gone", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			p.Close()
			h.Want()
			h.BeginTool(context.Background(), add, `{}`).Fails("its page is gone")
		})
	})
	t.Run("of a crashed page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			p.Crash()
			h.Want()
			h.BeginTool(context.Background(), add, `{}`).Fails("crashed")
		})
	})
	// P3: a message behind an actor's end is dropped without a word.
	t.Run("to a page whose actor is about to end", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			release := h.StopActor(p)
			before := h.BeginTool(context.Background(), add, `{}`)
			p.Close()
			release()
			before.Fails("was closed")
		})
	})
	t.Run("to a page whose actor has just ended", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			add := h.Tool("shop_test_page0_add")
			ref, _ := h.Pages().Load(add.Route.Page)
			p.Close()
			h.Quiet()
			h.Pages().Store(add.Route.Page, ref) // as a caller has it who looked a moment before
			h.BeginTool(context.Background(), add, `{}`).Fails("was closed")
		})
	})
	t.Run("with a context that has ended never reach the page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("add"))
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			h.BeginTool(ctx, h.Tool("shop_test_page0_add"), `{}`).Fails("cancelled")
			if n := Sent(p, cdpclient.WebMCPInvokeTool); n != 0 {
				t.Error("the page was called")
			}
		})
	})
}
