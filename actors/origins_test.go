package actors_test

import (
	"testing"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry/names"
)

// The origin of a document is the one that Chrome tells with its execution
// context; an iframe's about:srcdoc is not the page's for its address.
func TestOriginsOfDocuments(t *testing.T) {
	for _, attached := range []string{"before", "after"} {
		t.Run("the hub was attached "+attached+" the frames came", func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := Prepare(t)
				if attached == "before" {
					h.Start()
				}
				p := h.Chrome.OpenPage(Shop)
				p.Register(Tool("main"))
				ad := h.Frame(p.Main(), Ads)
				ad.Register(Tool("ad"))
				h.Frame(ad, "about:srcdoc").Register(Tool("inner"))
				h.Frame(p.Main(), "about:srcdoc").Register(Tool("own"))
				if attached == "after" {
					h.Start()
				}
				h.Want("shop_test_page0_ad", "shop_test_page0_inner", "shop_test_page0_main", "shop_test_page0_own")
				for name, want := range map[string]string{"main": "http://shop.test", "own": "http://shop.test", "ad": "http://ads.test", "inner": "http://ads.test"} {
					if got := h.Tool("shop_test_page0_" + name).Origin(); got != want {
						t.Errorf("%s is of %q, want %q", name, got, want)
					}
				}
				if got := h.Tab(p).Origin; got != "http://shop.test" {
					t.Errorf("the page is of %q", got)
				}
			})
		})
	}
	t.Run("rules hold for what is inside a frame", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			rules, err := names.ParseOrigins(nil, []string{"http://ads.test"})
			if err != nil {
				t.Fatal(err)
			}
			h := NewHub(t, func(o *Options) { o.Registry.Origins = rules })
			p := h.Chrome.OpenPage(Shop)
			p.Register(Tool("main"))
			ad := h.Frame(p.Main(), Ads)
			h.Frame(ad, "about:srcdoc").Register(Tool("inner"))
			h.Frame(p.Main(), "about:srcdoc").Register(Tool("own"))
			h.Want("shop_test_page0_main", "shop_test_page0_own")
		})
	})
	t.Run("a server of a frame asks in its own name", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Shop)
			f := h.Frame(h.Frame(p.Main(), Ads), "about:srcdoc")
			f.ServeMCP(cdptest.NewMCPServer(Tool("pay")).Handle)
			h.Want("shop_test_page0_pay")
			if got := h.Tool("shop_test_page0_pay").Origin(); got != "http://ads.test" {
				t.Errorf("its tool is of %q", got)
			}
		})
	})
}
