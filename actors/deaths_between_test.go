package actors_test

import (
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
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
			_, serves := e.(registry.SetCatalog)
			return serves
		})
	}
	changes := map[string]struct {
		make func(*TestHub, *cdptest.Page)
		want []string
	}{
		"a new tool":      {func(_ *TestHub, p *cdptest.Page) { p.Register(Tool("more")) }, []string{"shop_test_page0_add", "shop_test_page0_more", "news_test_page1_read"}},
		"a removed tool":  {func(_ *TestHub, p *cdptest.Page) { p.Unregister("add") }, []string{"news_test_page1_read"}},
		"a closed page":   {func(_ *TestHub, p *cdptest.Page) { p.Close() }, []string{"news_test_page0_read"}},
		"another address": {func(_ *TestHub, p *cdptest.Page) { p.PushState(Shop + "cart") }, []string{"shop_test_page0_add", "news_test_page1_read"}},
	}
	for what, change := range changes {
		for _, where := range []string{"between", "before Apply", "after Apply"} {
			t.Run(what+", "+where, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					var armed, died atomic.Bool
					die := func(effects []registry.Effect) {
						if serves(effects) && armed.Swap(false) {
							died.Store(true)
							panic("a test's panic")
						}
					}
					h := NewHub(t, func(o *Options) {
						if where == "between" {
							o.TestHooks.Between = die
						}
					})
					p := h.Offer(Tool("add"))
					h.Chrome.OpenPage("http://news.test/").Register(Tool("read"))
					h.Want("shop_test_page0_add", "news_test_page1_read")
					switch where {
					case "before Apply":
						h.Pub.Before(die)
					case "after Apply":
						h.Pub.Also(die)
					}
					told := h.Pub.Count()
					armed.Store(true)
					change.make(h, p)
					h.Want(change.want...)
					if !died.Load() || h.Log.Count(slog.LevelError, "panicked") != 1 {
						t.Error("nothing panicked")
					}
					if what != "another address" && h.Pub.Count() == told {
						t.Error("no client was told to read the list")
					}
					if what == "another address" && h.Tab(p).URL != Shop+"cart" {
						t.Errorf("the page is said to be at %s", h.Tab(p).URL)
					}
					if n := h.Pub.Versions(); n != 0 {
						t.Errorf("the version of the catalog stood still or went back %d times", n)
					}
				})
			})
		}
	}
}
