package browser_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

// Titles that scripts set are announced by nobody: who asks for them is told, and
// the catalog follows.
func TestTitlesSetByScript(t *testing.T) {
	for name, options := range map[string]func(*Options){"of a connected page": func(*Options) {}, "of one that is not connected": Explicit} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h := Prepare(t, options)
				h.Chrome.Serve(Shop, cdptest.Site{Title: "Shop"})
				p := h.Chrome.OpenPage(Shop)
				h.Start()
				p.SetTitleByScript("Shop (2)")
				h.Quiet()
				if title := h.Tab(p).Title; title != "Shop" {
					t.Errorf("before anybody asked, the title is %q", title)
				}
				titles, err := h.Titles(t.Context())
				if got := titles[registry.PageID(p.ID())].Text; got != "Shop (2)" || err != nil || len(titles) != 1 {
					t.Errorf("the titles are %q (%v)", titles, err)
				}
				h.Quiet()
				if title := h.Tab(p).Title; title != "Shop (2)" {
					t.Errorf("the catalog's title is %q", title)
				}
			})
		})
	}
}

// Chrome answers Target.getTargetInfo before the page's process has seen Page.enable, so a document may load in
// between, and nobody announces its load.
func TestTitleWhileAPageLoads(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t, func(*Options) {})
		h.Chrome.Serve(Shop, cdptest.Site{Title: "shop.test"})
		p := h.Chrome.OpenPage(Shop)
		loads := sync.OnceFunc(func() { p.SetTitleByScript("Shop") })
		h.Chrome.On("Page.getFrameTree", func(cdptest.Command) (any, error) { loads(); return nil, cdptest.ErrPass })
		early := true
		h.Chrome.On("Target.getTargetInfo", func(cdptest.Command) (any, error) {
			if !early {
				return nil, cdptest.ErrPass
			}
			early = false
			return map[string]any{"targetInfo": map[string]any{"targetId": p.ID(), "type": "page", "url": Shop, "title": "shop.test"}}, nil
		})
		h.Start()
		h.Quiet()
		if title := h.Tab(p).Title; title != "Shop" {
			t.Errorf("the title is %q", title)
		}
	})
}

// A page asks for its own title too, so what was announced last may not be what
// it has.
func TestTitlesThatPagesAskedFor(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		h.Chrome.Serve(Shop, cdptest.Site{Title: "Shop"})
		p := h.Chrome.OpenPage(Shop)
		h.Quiet()
		h.InActor(p, func(a *tab.Tab) { a.SetTitle(tab.Info{URL: Shop, Title: "Cart"}) })
		if _, err := h.Titles(t.Context()); err != nil {
			t.Error(err)
		}
		h.Quiet()
		if title := h.Tab(p).Title; title != "Shop" {
			t.Errorf("the title is %q", title)
		}
	})
}

// To list the titles says nothing of how a page is.
func TestTitlesOfACrashedPage(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t, Explicit)
		p := h.Chrome.OpenPage(Shop)
		h.Start()
		p.Crash()
		h.Quiet()
		if _, err := h.Titles(t.Context()); err != nil {
			t.Error(err)
		}
		h.Quiet()
		if s := h.Tab(p).State; s != "crashed" {
			t.Errorf("the crashed page %s", s)
		}
	})
}

func TestTitlesWithoutAnAnswer(t *testing.T) {
	t.Run("there is no Chrome", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t, func(o *Options) { o.Lazy = true })
			h.Start()
			if titles, err := h.Titles(t.Context()); titles != nil || !errors.Is(err, supervisor.ErrNoBrowser) {
				t.Errorf("the titles are %q (%v)", titles, err)
			}
			if n := len(h.Dialer.Attempts()); n != 0 {
				t.Errorf("%d attempts to reach Chrome", n)
			}
		})
	})
	t.Run("Chrome does not answer", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.On(cdpclient.TargetGetTargets, func(cdptest.Command) (any, error) { return nil, cdptest.ErrHang })
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begin := time.Now()
			if titles, err := h.Titles(ctx); titles != nil || !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
				t.Errorf("the titles are %q (%v) after %v", titles, err, time.Since(begin))
			}
		})
	})
}

// A title is shown beside its own address only: Chrome's word on a tab's title may come before the
// page's on where it has gone, and after it.
func TestTitlesOfAnotherAddress(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewHub(t)
		h.Chrome.Serve(Shop, cdptest.Site{Title: "Shop"})
		p := h.Chrome.OpenPage(Shop)
		h.Quiet()
		lists := func(url, title string) {
			info := cdpclient.TargetInfo{TargetID: p.ID(), Type: cdpclient.TypePage, URL: url, Title: title}
			h.Chrome.On(cdpclient.TargetGetTargets, func(cdptest.Command) (any, error) {
				return map[string]any{"targetInfos": []cdpclient.TargetInfo{info}}, nil
			})
			if _, err := h.Titles(t.Context()); err != nil {
				t.Error(err)
			}
			h.Quiet()
		}
		is := func(when, url, title string) {
			t.Helper()
			if tab := h.Tab(p); tab.URL != url || tab.Title != title {
				t.Errorf("%s the page is %q at %s, not %q at %s", when, tab.Title, tab.URL, title, url)
			}
		}
		lists(Cart, "Cart")
		is("before it has gone to the cart", Shop, "Shop")
		h.InActor(p, func(a *tab.Tab) { a.Doc.URL = Cart; a.ReportSoon() })
		h.Quiet()
		is("in the cart", Cart, "Cart")
		lists(Shop, "Shop again")
		is("after a late word on the shop", Cart, "Cart")
		lists(Cart+"#2", "Cart, second half")
		is("at a place in the cart", Cart, "Cart, second half")
	})
}

// atTheShop has a page at Shop, which may go to Cart.
func atTheShop(t *testing.T) (*TestHub, *cdptest.Page) {
	h := NewHub(t)
	h.Chrome.Serve(Shop, cdptest.Site{Title: "Shop"})
	h.Chrome.Serve(Cart, cdptest.Site{Title: "Cart"})
	p := h.Chrome.OpenPage(Shop)
	h.Quiet()
	return h, p
}

// The title of the last document isn't shown beside the next one's address, while the browser has
// not told the next one's title yet.
func TestTitleOfTheLastDocument(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, p := atTheShop(t)
		h.Dialer.StallAt(`"title":"Cart"`)
		p.Navigate(Cart)
		h.Quiet()
		if tab := h.Tab(p); tab.URL != Cart || tab.Title == "Shop" {
			t.Errorf("the page is %q at %s", tab.Title, tab.URL)
		}
		listed := map[registry.PageID]registry.Title{registry.PageID(p.ID()): {URL: Shop, Text: "Shop"}} // it isn't there yet
		if tab := h.Pub.Current().WithTitles(listed).Tab(registry.PageID(p.ID())); tab.URL == Cart && tab.Title == "Shop" {
			t.Errorf("a list of tabs has %q at %s", tab.Title, tab.URL)
		}
	})
}

// TestTitleSetOnTheWay: a title that the last document sets while Chrome is on its way to the next one isn't
// shown beside the next one's address, whichever comes first and whoever tells it. Nor is the next one's lost.
func TestTitleSetOnTheWay(t *testing.T) {
	for name, late := range map[string]bool{"told before the next document is there": false, "told afterwards": true} {
		t.Run(name, func(t *testing.T) {
			Bubble(t, func(t *testing.T) {
				h, p := atTheShop(t)
				tells := func() {
					h.InActor(p, func(a *tab.Tab) { a.SetTitle(tab.Info{URL: Cart, Title: "Shop (2)"}) })
					h.Quiet()
				}
				if !late {
					tells()
				}
				release := h.Dialer.StallAt(`"title":"Cart"`)
				p.Navigate(Cart)
				h.Quiet()
				if late {
					tells()
				}
				if tab := h.Tab(p); tab.URL != Cart || tab.Title != "" {
					t.Errorf("the page is %q at %s", tab.Title, tab.URL)
				}
				on := map[registry.PageID]registry.Title{registry.PageID(p.ID()): {URL: Cart, Text: "Shop (2)"}}
				if tab := h.Pub.Current().WithTitles(on).Tab(registry.PageID(p.ID())); tab.Title != "" {
					t.Errorf("a list of tabs has %q at %s", tab.Title, tab.URL)
				}
				release()
				h.Quiet()
				if tab := h.Tab(p); tab.Title != "Cart" {
					t.Errorf("then it is %q at %s", tab.Title, tab.URL)
				}
			})
		})
	}
}

// TestTitleBeforeItsAddress: the browser tells the next document's title before the page tells that it is there,
// and doesn't tell it again.
func TestTitleBeforeItsAddress(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, p := atTheShop(t)
		h.InActor(p, func(a *tab.Tab) { a.SetTitle(tab.Info{URL: Cart, Title: "Cart"}) })
		h.Dialer.Editing(func(msg []byte) [][]byte {
			for _, lost := range []string{"Target.targetInfoChanged", "Page.loadEventFired", "Page.lifecycleEvent"} {
				if strings.Contains(string(msg), lost) {
					return nil
				}
			}
			return [][]byte{msg}
		})
		p.Navigate(Cart)
		h.Quiet()
		if tab := h.Tab(p); tab.URL != Cart || tab.Title != "Cart" {
			t.Errorf("the page is %q at %s", tab.Title, tab.URL)
		}
	})
}

// While Chrome is on its way to an address it says that address with the title of the page that it
// still shows.
func TestTitleOnTheWay(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h, p := atTheShop(t)
		h.InActor(p, func(a *tab.Tab) { a.SetTitle(tab.Info{URL: Cart, Title: "Shop"}) })
		h.Quiet()
		release := h.Dialer.StallAt(`"title":"Cart"`)
		p.Navigate(Cart)
		h.Quiet()
		if tab := h.Tab(p); tab.URL != Cart || tab.Title == "Shop" {
			t.Errorf("the page is %q at %s", tab.Title, tab.URL)
		}
		release()
		h.Quiet()
		if tab := h.Tab(p); tab.Title != "Cart" {
			t.Errorf("then it is %q at %s", tab.Title, tab.URL)
		}
	})
}
