package actors_test

import (
	"errors"
	"testing"

	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"
)

// TestNotLoaded: a tab whose page did not load has Chrome's code in its state,
// whenever the hub comes to the error page, and none once a page is there.
func TestNotLoaded(t *testing.T) {
	const refused = "did not load (net::ERR_CONNECTION_REFUSED)"
	wants := func(t *testing.T, h *TestHub, page registry.PageID, state string) {
		t.Helper()
		h.Quiet()
		tab := h.Pub.Current().Tab(page)
		if tab == nil || tab.State != state || !tab.Arrived || tab.NotLoaded() != (state != "") {
			t.Fatalf("the tab is %+v; want its state %q", tab, state)
		}
	}
	down := func(code string) cdptest.Site { return cdptest.Site{Unreachable: code} }
	for _, early := range []bool{true, false} {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			h.Chrome.HoldEarly(early)
			h.Chrome.Serve(Shop, down("ERR_CONNECTION_REFUSED"))
			p := h.Chrome.OpenPage(Shop)
			id := registry.PageID(p.ID())
			wants(t, h, id, refused)
			p.Reload()
			wants(t, h, id, refused)
			h.Chrome.Serve(Third, down("DNS_PROBE_FINISHED_NXDOMAIN"))
			p.Navigate(Third)
			wants(t, h, id, "did not load (net::ERR_NAME_NOT_RESOLVED)")
			h.Chrome.Serve(Third, cdptest.Site{})
			p.Reload()
			wants(t, h, id, "")
			h.Chrome.Serve(Shop, down("HTTP ERROR 404"))
			p.Navigate(Shop)
			wants(t, h, id, "did not load (HTTP ERROR 404)")
			h.LetGoOf(p)
			h.Quiet()
			if tab := h.Tab(p); tab.State != registry.NotConnected {
				t.Errorf("a tab that was let go of is %+v", tab)
			}
			h.ConnectTo(p)
			wants(t, h, id, "did not load (HTTP ERROR 404)")
		})
	}
	t.Run("before the hub", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := Prepare(t)
			h.Chrome.Serve(Shop, down("ERR_CONNECTION_REFUSED"))
			p := h.Chrome.OpenPage(Shop)
			h.Start()
			wants(t, h, registry.PageID(p.ID()), refused)
		})
	})
	t.Run("a page that does not say", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewHub(t)
			p := h.Chrome.OpenPage(Third)
			wants(t, h, registry.PageID(p.ID()), "")
			h.Chrome.Serve(Shop, down("ERR_CONNECTION_REFUSED"))
			p.On(cdpclient.RuntimeEvaluate, func(cdptest.Command) (any, error) { return nil, errors.New("no") })
			p.Navigate(Shop)
			wants(t, h, registry.PageID(p.ID()), "did not load")
		})
	})
	t.Run("extension", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h := NewExtHub(t)
			b := h.Join(exttest.New("one"))
			tab := b.OpenTab(Third)
			h.Quiet()
			id := h.Pub.Current().Tabs()[0].Page
			wants(t, h, id, "")
			tab.Fail(Shop, "net::ERR_CONNECTION_REFUSED")
			wants(t, h, id, refused)
			tab.Navigate(Third)
			wants(t, h, id, "")
		})
	})
}
