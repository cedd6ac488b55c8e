package actors

import (
	"testing"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry/names"
)

// The origin of a document is the one that Chrome tells with its execution
// context; an iframe's about:srcdoc is not the page's for its address.
func TestOriginsOfDocuments(t *testing.T) {
	for _, attached := range []string{"before", "after"} {
		t.Run("the hub was attached "+attached+" the frames came", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := prepare(t)
				if attached == "before" {
					h.start()
				}
				p := h.chrome.OpenPage(shop)
				p.Register(tool("main"))
				ad := h.frame(p.Main(), ads)
				ad.Register(tool("ad"))
				h.frame(ad, "about:srcdoc").Register(tool("inner"))
				h.frame(p.Main(), "about:srcdoc").Register(tool("own"))
				if attached == "after" {
					h.start()
				}
				h.want("shop_test_page0_ad", "shop_test_page0_inner", "shop_test_page0_main", "shop_test_page0_own")
				for name, want := range map[string]string{"main": "http://shop.test", "own": "http://shop.test", "ad": "http://ads.test", "inner": "http://ads.test"} {
					if got := h.tool("shop_test_page0_" + name).Origin(); got != want {
						t.Errorf("%s is of %q, want %q", name, got, want)
					}
				}
				if got := h.tab(p).Origin; got != "http://shop.test" {
					t.Errorf("the page is of %q", got)
				}
			})
		})
	}
	t.Run("rules hold for what is inside a frame", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			rules, err := names.ParseOrigins(nil, []string{"http://ads.test"})
			if err != nil {
				t.Fatal(err)
			}
			h := newHub(t, func(o *Options) { o.Registry.Origins = rules })
			p := h.chrome.OpenPage(shop)
			p.Register(tool("main"))
			ad := h.frame(p.Main(), ads)
			h.frame(ad, "about:srcdoc").Register(tool("inner"))
			h.frame(p.Main(), "about:srcdoc").Register(tool("own"))
			h.want("shop_test_page0_main", "shop_test_page0_own")
		})
	})
	t.Run("a server of a frame asks in its own name", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(shop)
			f := h.frame(h.frame(p.Main(), ads), "about:srcdoc")
			f.ServeMCP(cdptest.NewMCPServer(tool("pay")).Handle)
			h.want("shop_test_page0_pay")
			if got := h.tool("shop_test_page0_pay").Origin(); got != "http://ads.test" {
				t.Errorf("its tool is of %q", got)
			}
		})
	})
}
