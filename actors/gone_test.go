package actors

import (
	"log/slog"
	"strings"
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
	"webmcphub/registry/advice"
)

// TestGone: who calls a tool by an old list is told why it's gone.
func TestGone(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(*testHub, *cdptest.Page)
		says string
	}{
		{"navigation", func(_ *testHub, p *cdptest.Page) { p.Navigate(cart) }, "its page navigated to " + cart},
		{"navigation to another site", func(_ *testHub, p *cdptest.Page) { p.Navigate("http://news.test/") }, "its page navigated to http://news.test/"},
		{"back", func(_ *testHub, p *cdptest.Page) { p.BackForward(cart) }, "its page navigated to " + cart},
		{"reload", func(_ *testHub, p *cdptest.Page) { p.Reload() }, "its page was reloaded, and has not offered pay since"},
		{"a navigation whose address Chrome has yet to tell", func(h *testHub, p *cdptest.Page) {
			h.dialer.stallAt(cdpclient.PageFrameNavigated)
			p.Navigate(cart)
		}, "its page has just navigated"},
		{"the same, and the title changes", func(h *testHub, p *cdptest.Page) {
			h.dialer.stallAt(cdpclient.PageFrameNavigated)
			p.Navigate(cart)
			h.inActor(p, func(a *cdpLink) { a.Titled("Another") })
		}, "its page has just navigated"},
		{"crash", func(_ *testHub, p *cdptest.Page) { p.Crash() }, "its page crashed"},
		{"close", func(_ *testHub, p *cdptest.Page) { p.Close() }, "the page that it belonged to was closed"},
		{"death of Chrome", func(h *testHub, _ *cdptest.Page) { h.chrome.Die() }, "the connection to Chrome was lost"},
		{"unregistering", func(_ *testHub, p *cdptest.Page) { p.Unregister("pay") }, "its page no longer offers pay"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p := h.offer(tool("pay"))
				h.want("shop_test_page0_pay")
				h.gone(func() { c.then(h, p) }, c.says)
			})
		})
	}
	for kind, url := range frameCases {
		for _, c := range []struct {
			name string
			then func(*cdptest.Page, *cdptest.Frame)
			says string
		}{
			{"removed", func(_ *cdptest.Page, f *cdptest.Frame) { f.Remove() }, "the frame that it belonged to was removed"},
			{"navigated", func(_ *cdptest.Page, f *cdptest.Frame) { f.Navigate(url + "x") }, "the frame that it belonged to navigated to " + url + "x"},
			{"navigated with the page", func(p *cdptest.Page, _ *cdptest.Frame) { p.Navigate(cart) }, "its page navigated to " + cart},
			{"unregistering", func(_ *cdptest.Page, f *cdptest.Frame) { f.Unregister("pay") }, "its page no longer offers pay"},
		} {
			t.Run(c.name+", frame in "+kind, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h := newHub(t)
					p := h.offer()
					f := h.frame(p.Main(), url)
					f.Register(tool("pay"))
					h.want("shop_test_page0_pay")
					h.gone(func() { c.then(p, f) }, c.says)
				})
			})
		}
	}
	t.Run("a frame in a frame that is removed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.offer()
			outer := h.frame(p.Main(), shop+"outer")
			h.frame(outer, shop+"inner").Register(tool("pay"))
			h.want("shop_test_page0_pay")
			h.gone(outer.Remove, "the frame that it belonged to was removed")
		})
	})
}

// gone has something happen to the tool pay, and compares what a call by the
// list from before is told.
func (h *testHub) gone(then func(), says string) {
	h.t.Helper()
	seen := h.pub.current()
	then()
	h.quiet()
	tool, err := registry.Resolve(seen, h.pub.current(), "webmcp_shop_test_page0_pay", advice.Audience{Browser: true, Connect: true, ByName: true})
	if err == nil || !strings.Contains(err.Error(), "is gone: "+says) {
		h.t.Errorf("got %v (%v), want %q in it", tool, err, says)
	}
}

func TestAttachingToACrashedPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := prepare(t)
		h.chrome.Serve(shop, cdptest.Site{Tools: []cdptest.Tool{tool("add")}})
		p := h.chrome.OpenPage(shop)
		p.Crash()
		h.start()
		h.want()
		p.Reload()
		h.want("shop_test_page0_add")
		h.call("shop_test_page0_add", `{}`, "ok")
		f := h.frame(p.Main(), ads)
		f.Register(tool("pay"))
		h.serve(p.Main(), tool("ask"))
		h.want("shop_test_page0_add", "shop_test_page0_pay", "shop_test_page0_ask")
		p.Crash()
		h.want()
		p.Reload()
		h.want("shop_test_page0_add")
		if n := h.log.count(slog.LevelWarn, "failed"); n != 0 {
			t.Errorf("%d warnings", n)
		}
	})
}
