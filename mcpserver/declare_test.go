package mcpserver

import (
	"strings"
	"testing"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// A client that initialises is told what the pages of the moment can do.
func TestBrowserCapabilitiesAreDeclared(t *testing.T) {
	own := offer.BrowserCapabilities{MultiTabSupport: true}
	for _, c := range []struct {
		name     string
		options  func(*Options, *registry.Options)
		pages    offer.BrowserCapabilities
		declared string
	}{
		{"nothing", nil, offer.BrowserCapabilities{}, ""},
		{"the hub's own", func(o *Options, _ *registry.Options) { o.Capabilities = own }, offer.BrowserCapabilities{}, `"experimental":{"browser":{"multiTabSupport":true,"cacheSupported":false,"elicitation":false}}`},
		{"a page's", nil, offer.BrowserCapabilities{CacheSupported: true}, `"experimental":{"browser":{"multiTabSupport":true,"cacheSupported":true,"elicitation":false}}`},
		{"both", func(o *Options, _ *registry.Options) { o.Capabilities = own }, offer.BrowserCapabilities{Elicitation: true}, `"experimental":{"browser":{"multiTabSupport":true,"cacheSupported":false,"elicitation":true}}`},
		{"nobody may ask", func(o *Options, _ *registry.Options) { o.Capabilities, o.PageRequests = own, Never }, offer.BrowserCapabilities{Elicitation: true}, `"experimental":{"browser":{"multiTabSupport":true,"cacheSupported":false,"elicitation":false}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var options []func(*Options, *registry.Options)
				if c.options != nil {
					options = append(options, c.options)
				}
				h := newOfferHub(t, options...)
				h.change(open("A", "https://a.test/"), navigated("A", 1, "https://a.test/"),
					registry.OffersReported{Page: "A", Gen: 1, Browser: c.pages})
				client := h.connect(true)
				client.send(helpful)
				got := strings.Join(client.take(), "")
				if c.declared == "" && strings.Contains(got, "experimental") || !strings.Contains(got, c.declared) {
					t.Errorf("want %s in\n%s", c.declared, got)
				}
				client.hangUp()
			})
		})
	}
}
