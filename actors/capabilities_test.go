package actors

import (
	"testing"

	"webmcphub/extlink/exttest"
	"webmcphub/registry/offer"
)

// What a page's server declares of MCP-B's capabilities lasts as long as it.
func TestBrowserCapabilitiesOfAPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := newOffering(t)
		want := func(when string, want offer.BrowserCapabilities) {
			t.Helper()
			if got := o.catalog().Offered().Browser(); got != want {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		want("it declares none", offer.BrowserCapabilities{})
		o.own.say(stopped)
		o.quiet()
		o.own.Offer(map[string]any{"browser": map[string]any{"cacheSupported": true}}, nil)
		o.own.say(ready)
		want("another server that does", offer.BrowserCapabilities{CacheSupported: true})
		o.page.Navigate(cart)
		want("a document without a server", offer.BrowserCapabilities{})
	})
}

// What pages of an extension's browser declare counts likewise, with tools or
// without, until their document goes or the hub lets go of them.
func TestBrowserCapabilitiesOfAnExtensionsPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOffering(t, func(o *Options) { o.Extension = true })
		h.page.Close()
		b := h.join(exttest.New("one"))
		tab, other := b.OpenTab(shop), b.OpenTab(cart)
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
		page := h.pub.current().Lookup("webmcp_shop_test_page0_add").Route.Page
		if err := h.DisconnectPage(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		want("one is let go of", offer.BrowserCapabilities{Elicitation: true})
		if err := h.ConnectPage(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		want("both again", offer.BrowserCapabilities{CacheSupported: true, Elicitation: true})
		tab.Navigate(cart)
		want("its document is gone", offer.BrowserCapabilities{Elicitation: true})
		b.Die()
		want("the browser is gone", offer.BrowserCapabilities{})
	})
}

// A page that the hub is not connected to declares nothing.
func TestBrowserCapabilitiesOfAnUnconnectedPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newOffering(t, func(o *Options) { o.Extension, o.Explicit = true, true })
		h.page.Close()
		b := h.join(exttest.New("one"))
		b.OpenTab(shop).Declares(map[string]bool{"cacheSupported": true})
		h.quiet()
		if got := h.catalog().Offered().Browser(); got != (offer.BrowserCapabilities{}) {
			t.Errorf("it declares %+v", got)
		}
	})
}
