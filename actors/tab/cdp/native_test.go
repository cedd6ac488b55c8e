package cdp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

func TestNativeTools(t *testing.T) {
	t.Run("of a new tab are caught before its first script", func(t *testing.T) {
		for _, early := range []bool{false, true} { // Chrome holds new tabs at either moment
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				h.Chrome.HoldEarly(early)
				h.Chrome.Serve(Shop, cdptest.Site{Tools: []cdptest.Tool{Tool("add"), Tool("buy")}})
				h.Chrome.OpenPage(Shop)
				h.Want("shop_test_page0_add", "shop_test_page0_buy")
			})
		}
	})
	t.Run("of a page that was open before are found", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Chrome.OpenPage(Shop).Register(Tool("add"), Tool("buy"))
			h.Start()
			h.Want("shop_test_page0_add", "shop_test_page0_buy")
		})
	})
	t.Run("are found however late they come", func(t *testing.T) {
		for _, after := range []time.Duration{30 * time.Second, 24 * time.Hour} {
			Bubble(t, func(t *testing.T) {
				h := NewHub(t)
				p, q := h.Chrome.OpenPage(Shop), h.Chrome.OpenPage(Shop)
				h.Want()
				fakeclock.Elapse(after)
				p.Register(Tool("native"))
				h.Serve(q.Main(), Tool("served"))
				h.Want("shop_test_page0_native", "shop_test_page1_served")
				h.CallSays("shop_test_page1_served", `{}`, "ok")
			})
		}
	})
	t.Run("are added, updated and removed", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Want("shop_test_page0_add")
			p.Register(Tool("buy"))
			h.Want("shop_test_page0_add", "shop_test_page0_buy")

			p.Unregister("add")
			p.Register(cdptest.Tool{Name: "add", Description: "now better", Schema: []byte(`{"type":"object","required":["n"]}`)})
			h.Want("shop_test_page0_add", "shop_test_page0_buy")
			add := h.Tool("shop_test_page0_add")
			if add.Description != "[WebMCP • shop.test • Page 0] now better" || !strings.Contains(string(add.InputSchema), `"required":["n"]`) {
				t.Errorf("the update did not arrive: %s %s", add.Description, add.InputSchema)
			}
			p.Unregister("add", "buy")
			h.Want()
		})
	})
	t.Run("keep their hints", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			yes := true
			h.Chrome.OpenPage(Shop).Register(cdptest.Tool{Name: "look", ReadOnly: &yes})
			h.Want("shop_test_page0_look")
			WantEncoded(t, h.Tool("shop_test_page0_look"), `"readOnlyHint":true`)
		})
	})
	t.Run("registered again as they were give no notification", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("add"))
			h.Quiet()
			before := h.Pub.Count()
			release := h.StopActor(p)
			p.Unregister("add")
			p.Register(Tool("add"))
			release()
			h.Want("shop_test_page0_add")
			if n := h.Pub.Count() - before; n != 0 {
				t.Errorf("%d notifications for a change that ended where it began", n)
			}
		})
	})
	t.Run("come as one report for a burst", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			h.Quiet()
			before := h.Pub.Count()
			release := h.StopActor(p)
			for i := range 1000 {
				p.Register(Tool(fmt.Sprintf("t%d", i)))
			}
			release()
			h.Quiet()
			if n := len(h.Tools()); n != 1000 {
				t.Fatalf("%d tools, want 1000", n)
			}
			if n := h.Pub.Count() - before; n != 1 {
				t.Errorf("%d notifications for a burst of 1000 registrations, want 1", n)
			}
		})
	})
	t.Run("with one name in two frames are two tools", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			f := p.AddFrame(Shop + "inner")
			p.Register(cdptest.Tool{Name: "add", Execute: Says("from the page")})
			f.Register(cdptest.Tool{Name: "add", Execute: Says("from the frame")})
			h.Quiet()
			names := h.Tools()
			if len(names) != 2 || names[0] != "shop_test_page0_add" {
				t.Fatalf("tools are %q", names)
			}
			h.CallSays(names[0], `{}`, "from the page")
			h.CallSays(names[1], `{}`, "from the frame")
		})
	})
	t.Run("of two pages don't mix", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			q := h.Chrome.OpenPage("http://news.test/")
			p.Register(cdptest.Tool{Name: "add", Execute: Says("shop")})
			q.Register(cdptest.Tool{Name: "add", Execute: Says("news")})
			h.Want("shop_test_page0_add", "news_test_page1_add")
			h.CallSays("shop_test_page0_add", `{}`, "shop")
			h.CallSays("news_test_page1_add", `{}`, "news")
			p.Close()
			h.Want("news_test_page0_add")
			h.CallSays("news_test_page0_add", `{}`, "news")
		})
	})
	t.Run("of targets that are not pages are left alone", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Chrome.OpenOther("browser_ui", "chrome://omnibox-popup.top-chrome/")
			h.Start()
			h.Chrome.OpenOther("service_worker", Shop+"sw.js")
			h.Chrome.OpenPage("devtools://devtools/bundled/inspector.html").Register(Tool("no"))
			h.Want()
			if n := len(h.Pub.Current().Tabs()); n != 0 {
				t.Errorf("%d tabs, want none", n)
			}
		})
	})
}

// Chrome says false of each hint that a page left out, if it gave any: that is
// not the page's word.
func TestNativeHints(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		yes, no := true, false
		h := NewHub(t)
		p := h.Chrome.OpenPage(Shop)
		p.Register(cdptest.Tool{Name: "none"}, cdptest.Tool{Name: "read", ReadOnly: &yes}, cdptest.Tool{Name: "write", ReadOnly: &no})
		h.Want("shop_test_page0_none", "shop_test_page0_read", "shop_test_page0_write")
		for name, want := range map[string]string{"none": ``, "read": `{"readOnlyHint":true}`, "write": ``} {
			if got := string(h.Tool("shop_test_page0_" + name).Annotations()); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	})
}
