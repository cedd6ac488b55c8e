package actors

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

func tool(name string) cdptest.Tool { return cdptest.Tool{Name: name} }

func TestNativeTools(t *testing.T) {
	t.Run("of a new tab are caught before its first script", func(t *testing.T) {
		for _, early := range []bool{false, true} { // Chrome holds new tabs at either moment
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				h.chrome.HoldEarly(early)
				h.chrome.Serve(shop, cdptest.Site{Tools: []cdptest.Tool{tool("add"), tool("buy")}})
				h.chrome.OpenPage(shop)
				h.want("shop_test_page0_add", "shop_test_page0_buy")
			})
		}
	})
	t.Run("of a page that was open before are found", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.chrome.OpenPage(shop).Register(tool("add"), tool("buy"))
			h.start()
			h.want("shop_test_page0_add", "shop_test_page0_buy")
		})
	})
	t.Run("are found however late they come", func(t *testing.T) {
		for _, after := range []time.Duration{30 * time.Second, 24 * time.Hour} {
			bubble(t, func(t *testing.T) {
				h := newHub(t)
				p, q := h.chrome.OpenPage(shop), h.chrome.OpenPage(shop)
				h.want()
				fakeclock.Elapse(after)
				p.Register(tool("native"))
				h.serve(q.Main(), tool("served"))
				h.want("shop_test_page0_native", "shop_test_page1_served")
				h.call("shop_test_page1_served", `{}`, "ok")
			})
		}
	})
	t.Run("are added, updated and removed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.want("shop_test_page0_add")
			p.Register(tool("buy"))
			h.want("shop_test_page0_add", "shop_test_page0_buy")

			p.Unregister("add")
			p.Register(cdptest.Tool{Name: "add", Description: "now better", Schema: []byte(`{"type":"object","required":["n"]}`)})
			h.want("shop_test_page0_add", "shop_test_page0_buy")
			add := h.tool("shop_test_page0_add")
			if add.Description != "[WebMCP • shop.test • Page 0] now better" || !strings.Contains(string(add.InputSchema), `"required":["n"]`) {
				t.Errorf("the update did not arrive: %s %s", add.Description, add.InputSchema)
			}
			p.Unregister("add", "buy")
			h.want()
		})
	})
	t.Run("keep their hints", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			yes := true
			h.chrome.OpenPage(shop).Register(cdptest.Tool{Name: "look", ReadOnly: &yes})
			h.want("shop_test_page0_look")
			wantEncoded(t, h.tool("shop_test_page0_look"), `"readOnlyHint":true`)
		})
	})
	t.Run("registered again as they were give no notification", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			p.Register(tool("add"))
			h.quiet()
			before := h.pub.count()
			release := h.stopActor(p)
			p.Unregister("add")
			p.Register(tool("add"))
			release()
			h.want("shop_test_page0_add")
			if n := h.pub.count() - before; n != 0 {
				t.Errorf("%d notifications for a change that ended where it began", n)
			}
		})
	})
	t.Run("come as one report for a burst", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			h.quiet()
			before := h.pub.count()
			release := h.stopActor(p)
			for i := range 1000 {
				p.Register(tool(fmt.Sprintf("t%d", i)))
			}
			release()
			h.quiet()
			if n := len(h.tools()); n != 1000 {
				t.Fatalf("%d tools, want 1000", n)
			}
			if n := h.pub.count() - before; n != 1 {
				t.Errorf("%d notifications for a burst of 1000 registrations, want 1", n)
			}
		})
	})
	t.Run("with one name in two frames are two tools", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			f := p.AddFrame(shop + "inner")
			p.Register(cdptest.Tool{Name: "add", Execute: says("from the page")})
			f.Register(cdptest.Tool{Name: "add", Execute: says("from the frame")})
			h.quiet()
			names := h.tools()
			if len(names) != 2 || names[0] != "shop_test_page0_add" {
				t.Fatalf("tools are %q", names)
			}
			h.call(names[0], `{}`, "from the page")
			h.call(names[1], `{}`, "from the frame")
		})
	})
	t.Run("of two pages don't mix", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			q := h.chrome.OpenPage("http://news.test/")
			p.Register(cdptest.Tool{Name: "add", Execute: says("shop")})
			q.Register(cdptest.Tool{Name: "add", Execute: says("news")})
			h.want("shop_test_page0_add", "news_test_page1_add")
			h.call("shop_test_page0_add", `{}`, "shop")
			h.call("news_test_page1_add", `{}`, "news")
			p.Close()
			h.want("news_test_page0_add")
			h.call("news_test_page0_add", `{}`, "news")
		})
	})
	t.Run("of targets that are not pages are left alone", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.chrome.OpenOther("browser_ui", "chrome://omnibox-popup.top-chrome/")
			h.start()
			h.chrome.OpenOther("service_worker", shop+"sw.js")
			h.chrome.OpenPage("devtools://devtools/bundled/inspector.html").Register(tool("no"))
			h.want()
			if n := len(h.pub.current().Tabs()); n != 0 {
				t.Errorf("%d tabs, want none", n)
			}
		})
	})
}

// Chrome says false of each hint that a page left out, if it gave any: that is
// not the page's word.
func TestNativeHints(t *testing.T) {
	bubble(t, func(t *testing.T) {
		yes, no := true, false
		h := newHub(t)
		p := h.chrome.OpenPage(shop)
		p.Register(cdptest.Tool{Name: "none"}, cdptest.Tool{Name: "read", ReadOnly: &yes}, cdptest.Tool{Name: "write", ReadOnly: &no})
		h.want("shop_test_page0_none", "shop_test_page0_read", "shop_test_page0_write")
		for name, want := range map[string]string{"none": ``, "read": `{"readOnlyHint":true}`, "write": ``} {
			if got := string(h.tool("shop_test_page0_" + name).Annotations()); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	})
}
