package cdp_test

import (
	"testing"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/extlink/exttest"
	"webmcphub/registry/offer"
)

// What a page's server declares of MCP-B's capabilities lasts as long as it.
func TestBrowserCapabilitiesOfAPage(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		o := newOffering(t)
		want := func(when string, want offer.BrowserCapabilities) {
			t.Helper()
			if got := o.catalog().Offered().Browser(); got != want {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		want("it declares none", offer.BrowserCapabilities{})
		o.own.Say(Stopped)
		o.Quiet()
		o.own.Offer(map[string]any{"browser": map[string]any{"cacheSupported": true}}, nil)
		o.own.Say(Ready)
		want("another server that does", offer.BrowserCapabilities{CacheSupported: true})
		o.page.Navigate(Cart)
		want("a document without a server", offer.BrowserCapabilities{})
	})
}

// What pages of an extension's browser declare counts likewise, with tools or
// without, until their document goes or the hub lets go of them.
func TestBrowserCapabilitiesOfAnExtensionsPage(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newOffering(t, func(o *actors.Options) { o.Extension = true })
		h.page.Close()
		b := h.Join(exttest.New("one"))
		tab, other := b.OpenTab(Shop), b.OpenTab(Cart)
		want := func(when string, want offer.BrowserCapabilities) {
			t.Helper()
			if got := h.catalog().Offered().Browser(); got != want {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		want("none", offer.BrowserCapabilities{})
		tab.Declares(map[string]bool{"cacheSupported": true, "elicitation": false, "other": true})
		want("one", offer.BrowserCapabilities{CacheSupported: true})
		tab.Register(exttest.Tool{Name: "add"})
		other.Declares(map[string]bool{"elicitation": true})
		want("both", offer.BrowserCapabilities{CacheSupported: true, Elicitation: true})
		page := h.Pub.Current().Lookup("webmcp_shop_test_page0_add").Route.Page
		if err := h.DisconnectPage(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		want("one is let go of", offer.BrowserCapabilities{Elicitation: true})
		if err := h.ConnectPage(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		want("both again", offer.BrowserCapabilities{CacheSupported: true, Elicitation: true})
		tab.Navigate(Cart)
		want("its document is gone", offer.BrowserCapabilities{Elicitation: true})
		b.Die()
		want("the browser is gone", offer.BrowserCapabilities{})
	})
}

// A page that the hub is not connected to declares nothing.
func TestBrowserCapabilitiesOfAnUnconnectedPage(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := newOffering(t, func(o *actors.Options) { o.Extension, o.Explicit = true, true })
		h.page.Close()
		b := h.Join(exttest.New("one"))
		b.OpenTab(Shop).Declares(map[string]bool{"cacheSupported": true})
		h.Quiet()
		if got := h.catalog().Offered().Browser(); got != (offer.BrowserCapabilities{}) {
			t.Errorf("it declares %+v", got)
		}
	})
}
