package actors_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// A framework that registers everything anew at every render: with --settle
// clients are told nothing, without it they are told each time.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		settle time.Duration
		told   bool
	}{{0, true}, {150 * time.Millisecond, false}} {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t, func(o *Options) { o.Settle = c.settle })
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"), Tool("search"))
			h.Want("shop_test_page0_add", "shop_test_page0_search")
			before := h.Pub.Count()
			for range 10 {
				p.Unregister("add", "search")
				h.Quiet() // an interval and more
				p.Register(Tool("add"), Tool("search"))
				h.Quiet()
			}
			if told := h.Pub.Count() - before; told >= 20 != c.told || told > 0 != c.told {
				t.Errorf("settle %v: told %d times", c.settle, told)
			}
			h.CallSays("shop_test_page0_add", `{}`, "ok")

			p.Unregister("add")
			h.Quiet()
			fakeclock.Elapse(c.settle * 12)
			synctest.Wait()
			h.Want("shop_test_page0_search")
			p.Navigate(Cart)
			h.Want() // at once
		})
	}
}

// While clients still see a tool as it was, the page knows better.
func TestACallThatWasDecidedAboutBeforeTheChange(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t, func(o *Options) { o.Settle = time.Second })
		p := h.Offer(Tool("pay"))
		was := h.Tool("shop_test_page0_pay")
		p.Unregister("pay")
		p.Register(cdptest.Tool{Name: "pay", Description: "Pays twice"})
		h.Quiet()
		if h.Tool("shop_test_page0_pay") != was {
			t.Fatal("the change shows at once")
		}
		WantText(t, h.Call(t.Context(), was, json.RawMessage(`{}`), CallExtras{Exactly: was.Source()}), true, "its page has changed it since")
		WantText(t, h.Call(t.Context(), was, json.RawMessage(`{}`), CallExtras{}), false, "ok")
	})
}
