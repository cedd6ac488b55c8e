package actors

import (
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
)

// A framework that registers everything anew at every render: with --settle
// clients are told nothing, without it they are told each time.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		settle time.Duration
		told   bool
	}{{0, true}, {150 * time.Millisecond, false}} {
		bubble(t, func(t *testing.T) {
			h := newHub(t, func(o *Options) { o.Settle = c.settle })
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"), tool("search"))
			h.want("shop_test_page0_add", "shop_test_page0_search")
			before := h.pub.count()
			for range 10 {
				p.Unregister("add", "search")
				h.quiet() // an interval and more
				p.Register(tool("add"), tool("search"))
				h.quiet()
			}
			if told := h.pub.count() - before; told >= 20 != c.told || told > 0 != c.told {
				t.Errorf("settle %v: told %d times", c.settle, told)
			}
			h.call("shop_test_page0_add", `{}`, "ok")

			p.Unregister("add")
			h.quiet()
			fakeclock.Elapse(c.settle * 12)
			synctest.Wait()
			h.want("shop_test_page0_search")
			p.Navigate(cart)
			h.want() // at once
		})
	}
}
