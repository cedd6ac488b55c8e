package actors

import (
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

// TestDeathsBetween lets the registry actor panic when its state has taken an
// event and clients have not been told of it: between the two, in the publisher
// before it does anything, and after it did everything. Clients come to know
// what pages offer all the same, also where that was the last change.
func TestDeathsBetween(t *testing.T) {
	serves := func(effects []registry.Effect) bool {
		return slices.ContainsFunc(effects, func(e registry.Effect) bool {
			_, serves := e.(registry.Serve)
			return serves
		})
	}
	changes := map[string]struct {
		make func(*testHub, *cdptest.Page)
		want []string
	}{
		"a new tool":      {func(_ *testHub, p *cdptest.Page) { p.Register(tool("more")) }, []string{"shop_test_page0_add", "shop_test_page0_more", "news_test_page1_read"}},
		"a removed tool":  {func(_ *testHub, p *cdptest.Page) { p.Unregister("add") }, []string{"news_test_page1_read"}},
		"a closed page":   {func(_ *testHub, p *cdptest.Page) { p.Close() }, []string{"news_test_page0_read"}},
		"another address": {func(_ *testHub, p *cdptest.Page) { p.PushState(shop + "cart") }, []string{"shop_test_page0_add", "news_test_page1_read"}},
	}
	for what, change := range changes {
		for _, where := range []string{"between", "before Apply", "after Apply"} {
			t.Run(what+", "+where, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					var armed, died atomic.Bool
					die := func(effects []registry.Effect) {
						if serves(effects) && armed.Swap(false) {
							died.Store(true)
							panic("a test's panic")
						}
					}
					h := newHub(t, func(o *Options) {
						if where == "between" {
							o.between = die
						}
					})
					p := h.offer(tool("add"))
					h.chrome.OpenPage("http://news.test/").Register(tool("read"))
					h.want("shop_test_page0_add", "news_test_page1_read")
					switch where {
					case "before Apply":
						h.pub.before(die)
					case "after Apply":
						h.pub.also(die)
					}
					told := h.pub.count()
					armed.Store(true)
					change.make(h, p)
					h.want(change.want...)
					if !died.Load() || h.log.count(slog.LevelError, "panicked") != 1 {
						t.Error("nothing panicked")
					}
					if what != "another address" && h.pub.count() == told {
						t.Error("no client was told to read the list")
					}
					if what == "another address" && h.tab(p).URL != shop+"cart" {
						t.Errorf("the page is said to be at %s", h.tab(p).URL)
					}
					if n := h.pub.versions(); n != 0 {
						t.Errorf("the version of the catalog stood still or went back %d times", n)
					}
				})
			})
		}
	}
}
