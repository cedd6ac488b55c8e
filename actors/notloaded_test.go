package actors

import (
	"errors"
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"
)

// TestNotLoaded: a tab whose page did not load has Chrome's code in its state,
// whenever the hub comes to the error page, and none once a page is there.
func TestNotLoaded(t *testing.T) {
	const refused = "did not load (net::ERR_CONNECTION_REFUSED)"
	wants := func(t *testing.T, h *testHub, page registry.PageID, state string) {
		t.Helper()
		h.quiet()
		tab := h.pub.current().Tab(page)
		if tab == nil || tab.State != state || !tab.Arrived || tab.NotLoaded() != (state != "") {
			t.Fatalf("the tab is %+v; want its state %q", tab, state)
		}
	}
	down := func(code string) cdptest.Site { return cdptest.Site{Unreachable: code} }
	for _, early := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			h.chrome.HoldEarly(early)
			h.chrome.Serve(shop, down("ERR_CONNECTION_REFUSED"))
			p := h.chrome.OpenPage(shop)
			id := registry.PageID(p.ID())
			wants(t, h, id, refused)
			p.Reload()
			wants(t, h, id, refused)
			h.chrome.Serve(third, down("DNS_PROBE_FINISHED_NXDOMAIN"))
			p.Navigate(third)
			wants(t, h, id, "did not load (net::ERR_NAME_NOT_RESOLVED)")
			h.chrome.Serve(third, cdptest.Site{})
			p.Reload()
			wants(t, h, id, "")
			h.chrome.Serve(shop, down("HTTP ERROR 404"))
			p.Navigate(shop)
			wants(t, h, id, "did not load (HTTP ERROR 404)")
			h.letGoOf(p)
			h.quiet()
			if tab := h.tab(p); tab.State != registry.NotConnected {
				t.Errorf("a tab that was let go of is %+v", tab)
			}
			h.connectTo(p)
			wants(t, h, id, "did not load (HTTP ERROR 404)")
		})
	}
	t.Run("before the hub", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := prepare(t)
			h.chrome.Serve(shop, down("ERR_CONNECTION_REFUSED"))
			p := h.chrome.OpenPage(shop)
			h.start()
			wants(t, h, registry.PageID(p.ID()), refused)
		})
	})
	t.Run("a page that does not say", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newHub(t)
			p := h.chrome.OpenPage(third)
			wants(t, h, registry.PageID(p.ID()), "")
			h.chrome.Serve(shop, down("ERR_CONNECTION_REFUSED"))
			p.On(cdpclient.RuntimeEvaluate, func(cdptest.Command) (any, error) { return nil, errors.New("no") })
			p.Navigate(shop)
			wants(t, h, registry.PageID(p.ID()), "did not load")
		})
	})
	t.Run("extension", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newExtHub(t)
			b := h.join(exttest.New("one"))
			tab := b.OpenTab(third)
			h.quiet()
			id := h.pub.current().Tabs()[0].Page
			wants(t, h, id, "")
			tab.Fail(shop, "net::ERR_CONNECTION_REFUSED")
			wants(t, h, id, refused)
			tab.Navigate(third)
			wants(t, h, id, "")
		})
	})
}
