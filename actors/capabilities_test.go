package actors

import (
	"testing"

	"webmcphub/registry"
)

// What a page's server declares of MCP-B's capabilities lasts as long as it.
func TestBrowserCapabilitiesOfAPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := newOffering(t)
		want := func(when string, want registry.BrowserCapabilities) {
			t.Helper()
			if got := o.catalog().BrowserCapabilities(); got != want {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		want("it declares none", registry.BrowserCapabilities{})
		o.own.say(stopped)
		o.quiet()
		o.own.Offer(map[string]any{"browser": map[string]any{"cacheSupported": true}}, nil)
		o.own.say(ready)
		want("another server that does", registry.BrowserCapabilities{CacheSupported: true})
		o.page.Navigate(cart)
		want("a document without a server", registry.BrowserCapabilities{})
	})
}
