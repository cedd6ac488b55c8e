package cdp_test

import (
	"testing"
	"testing/synctest"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

func TestAdapter(t *testing.T) {
	t.Run("its tools are listed, called, and go", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			change := h.Adapt(p, "form", "book", "ask")
			h.Want("shop_test_page0_ask", "shop_test_page0_book")
			if got := h.Runtime("shop_test_page0_ask"); got != offer.Form {
				t.Errorf("reached by %s", got)
			}
			h.CallSays("shop_test_page0_book", `{}`, "by the adapter")
			change("ask")
			h.Want("shop_test_page0_ask")
			p.Navigate(Cart)
			h.Quiet()
			h.Want()
		})
	})
	t.Run("what others offer too is theirs", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer(Tool("native"))
			h.Adapt(p, "polyfill", "native", "served", "own")
			s := h.Serve(p.Main(), Tool("served"))
			want := func(runtimes map[string]offer.Runtime) {
				t.Helper()
				h.Want("shop_test_page0_native", "shop_test_page0_own", "shop_test_page0_served")
				for name, want := range runtimes {
					if got := h.Runtime("shop_test_page0_" + name); got != want {
						t.Errorf("%s is reached by %s, want %s", name, got, want)
					}
				}
			}
			want(map[string]offer.Runtime{"native": offer.Native, "served": offer.MCPB, "own": offer.Polyfill})
			h.CallSays("shop_test_page0_served", `{}`, "ok")
			s.Say(Stopped) // the page's server goes, the adapter stays
			h.Quiet()
			want(map[string]offer.Runtime{"native": offer.Native, "served": offer.Polyfill, "own": offer.Polyfill})
			h.CallSays("shop_test_page0_served", `{}`, "by the adapter")
		})
	})
	t.Run("those made of the DOM are there while there are no others", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t, func(o *actors.Options) { o.Introspect = true })
			p := h.Offer()
			h.Adapt(p, "dom", "click_ok")
			h.Want("shop_test_page0_click_ok")
			if got := h.Runtime("shop_test_page0_click_ok"); got != offer.DOM {
				t.Errorf("reached by %s", got)
			}
			h.CallSays("shop_test_page0_click_ok", `{}`, "by the adapter")
			s := h.Serve(p.Main(), Tool("served"))
			h.Want("shop_test_page0_served")
			s.Say(Stopped)
			h.Quiet()
			h.Want("shop_test_page0_click_ok")
			p.Register(Tool("native"))
			h.Quiet()
			h.Want("shop_test_page0_native")
		})
	})
	t.Run("those made of the DOM for an earlier hub are left out", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Adapt(h.Offer(), "dom", "click_ok")
			h.Want()
		})
	})
	t.Run("they go when the hub lets go of their page", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			h.Adapt(p, "form", "book")
			h.Want("shop_test_page0_book")
			p.On(bridge.CallMethod, func(cdptest.Command) (any, error) { return map[string]any{"result": map[string]any{}}, nil })
			c := h.Begin("shop_test_page0_book", `{}`)
			synctest.Wait()
			if err := h.DisconnectPage(t.Context(), registry.PageID(p.ID())); err != nil {
				t.Fatal(err)
			}
			c.Fails("disconnected")
			h.Quiet()
			h.Want()
			if n := inside(h, p, (*Link).Servers); n != 0 {
				t.Errorf("%d servers are left", n)
			}
		})
	})
	t.Run("a call ends when its page navigates", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			h.Adapt(p, "form", "book")
			p.On(bridge.CallMethod, func(cdptest.Command) (any, error) { return map[string]any{"result": map[string]any{}}, nil })
			c := h.Begin("shop_test_page0_book", `{}`)
			p.Navigate(Cart)
			c.Fails("navigated to " + Cart)
			nothingInFlight(h, p)
		})
	})
}
