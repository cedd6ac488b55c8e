package actors_test

import (
	"log/slog"
	"strings"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

// TestGone: who calls a tool by an old list is told why it's gone.
func TestGone(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(*TestHub, *cdptest.Page)
		says string
	}{
		{"navigation", func(_ *TestHub, p *cdptest.Page) { p.Navigate(Cart) }, "its page navigated to " + Cart},
		{"navigation to another site", func(_ *TestHub, p *cdptest.Page) { p.Navigate("http://news.test/") }, "its page navigated to http://news.test/"},
		{"back", func(_ *TestHub, p *cdptest.Page) { p.BackForward(Cart) }, "its page navigated to " + Cart},
		{"reload", func(_ *TestHub, p *cdptest.Page) { p.Reload() }, "its page was reloaded, and has not offered pay since"},
		{"a navigation whose address Chrome has yet to tell", func(h *TestHub, p *cdptest.Page) {
			h.Dialer.StallAt(cdpclient.PageFrameNavigated)
			p.Navigate(Cart)
		}, "its page has just navigated"},
		{"the same, and the title changes", func(h *TestHub, p *cdptest.Page) {
			h.Dialer.StallAt(cdpclient.PageFrameNavigated)
			p.Navigate(Cart)
			h.InActor(p, func(a *tab.Tab) { a.SetTitle(tab.Info{URL: Shop, Title: "Another"}) })
		}, "its page has just navigated"},
		{"crash", func(_ *TestHub, p *cdptest.Page) { p.Crash() }, "its page crashed"},
		{"close", func(_ *TestHub, p *cdptest.Page) { p.Close() }, "the page that it belonged to was closed"},
		{"death of Chrome", func(h *TestHub, _ *cdptest.Page) { h.Chrome.Die() }, "the connection to Chrome was lost"},
		{"unregistering", func(_ *TestHub, p *cdptest.Page) { p.Unregister("pay") }, "its page no longer offers pay"},
	} {
		t.Run(c.name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p := h.Offer(Tool("pay"))
				h.Want("shop_test_page0_pay")
				wentAway(h, func() { c.then(h, p) }, c.says)
			})
		})
	}
	for kind, url := range FrameCases {
		for _, c := range []struct {
			name string
			then func(*cdptest.Page, *cdptest.Frame)
			says string
		}{
			{"removed", func(_ *cdptest.Page, f *cdptest.Frame) { f.Remove() }, "the frame that it belonged to was removed"},
			{"navigated", func(_ *cdptest.Page, f *cdptest.Frame) { f.Navigate(url + "x") }, "the frame that it belonged to navigated to " + url + "x"},
			{"navigated with the page", func(p *cdptest.Page, _ *cdptest.Frame) { p.Navigate(Cart) }, "its page navigated to " + Cart},
			{"unregistering", func(_ *cdptest.Page, f *cdptest.Frame) { f.Unregister("pay") }, "its page no longer offers pay"},
		} {
			t.Run(c.name+", frame in "+kind, func(t *testing.T) {
				Bubble(t, func(t *testing.T) {
					h := NewHub(t)
					p := h.Offer()
					f := h.Frame(p.Main(), url)
					f.Register(Tool("pay"))
					h.Want("shop_test_page0_pay")
					wentAway(h, func() { c.then(p, f) }, c.says)
				})
			})
		}
	}
	t.Run("a frame in a frame that is removed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Offer()
			outer := h.Frame(p.Main(), Shop+"outer")
			h.Frame(outer, Shop+"inner").Register(Tool("pay"))
			h.Want("shop_test_page0_pay")
			wentAway(h, outer.Remove, "the frame that it belonged to was removed")
		})
	})
}

// gone has something happen to the tool pay, and compares what a call by the
// list from before is told.
func wentAway(h *TestHub, then func(), says string) {
	h.T.Helper()
	seen := h.Pub.Current()
	then()
	h.Quiet()
	tool, err := registry.Resolve(seen, h.Pub.Current(), "webmcp_shop_test_page0_pay", registry.VisibleTools{Browser: true, Connect: true, ByName: true})
	if err == nil || !strings.Contains(err.Error(), "is gone: "+says) {
		h.T.Errorf("got %v (%v), want %q in it", tool, err, says)
	}
}

func TestAttachingToACrashedPage(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t)
		h.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add")}})
		p := h.Chrome.OpenPage(Shop)
		p.Crash()
		h.Start()
		h.Want()
		p.Reload()
		h.Want("shop_test_page0_add")
		h.CallSays("shop_test_page0_add", `{}`, "ok")
		f := h.Frame(p.Main(), Ads)
		f.Register(Tool("pay"))
		h.Serve(p.Main(), Tool("ask"))
		h.Want("shop_test_page0_add", "shop_test_page0_pay", "shop_test_page0_ask")
		p.Crash()
		h.Want()
		p.Reload()
		h.Want("shop_test_page0_add")
		if n := h.Log.Count(slog.LevelWarn, "failed"); n != 0 {
			t.Errorf("%d warnings", n)
		}
	})
}
