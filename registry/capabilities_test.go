package registry

import (
	"testing"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// What the hub declares of MCP-B's capabilities is what any open page has, while it is there.
func TestBrowserCapabilitiesOfAllPages(t *testing.T) {
	o := newOffering(t)
	declares := func(page PageID, gen Gen, b offer.BrowserCapabilities) {
		o.step(OffersReported{Page: page, Gen: gen, Browser: b})
	}
	want := func(when string, want offer.BrowserCapabilities) {
		t.Helper()
		if got := o.state.Catalog().Offered().Browser(); got != want {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
	}
	cache, elicits := offer.BrowserCapabilities{CacheSupported: true}, offer.BrowserCapabilities{Elicitation: true}
	o.open("A", "https://a.test/")
	o.open("B", "https://b.test/", "note://1")
	want("nobody has said anything", offer.BrowserCapabilities{})
	declares("A", 1, cache)
	want("one page", cache)
	declares("B", 1, elicits)
	want("two pages", offer.BrowserCapabilities{CacheSupported: true, Elicitation: true})
	o.step(Navigated{Page: "A", Gen: 2, URL: "https://a.test/2"})
	want("one has another document", elicits)
	declares("A", 1, cache)
	want("its last document's word", elicits)
	declares("A", 2, cache)
	o.step(PageChanged{Page: "B", State: "crashed"})
	want("one crashed", cache)
	o.step(PageClosed{Page: "A"})
	want("one was closed", offer.BrowserCapabilities{})
	declares("B", 1, cache)
	want("a crashed page's word", offer.BrowserCapabilities{})
}

func TestBrowserCapabilitiesAreAsOriginRulesAllow(t *testing.T) {
	deny, err := names.ParseOrigins(nil, []string{"https://bad.test"})
	if err != nil {
		t.Fatal(err)
	}
	rules := Options{Origins: deny}
	o := &offersHub{t, NewState(rules)}
	o.open("A", "https://bad.test/")
	o.step(OffersReported{Page: "A", Gen: 1, Browser: offer.BrowserCapabilities{CacheSupported: true}})
	if got := o.state.Catalog().Offered().Browser(); got != (offer.BrowserCapabilities{}) {
		t.Errorf("%+v", got)
	}
}

func TestDeclaredBrowserCapabilities(t *testing.T) {
	none, every := offer.BrowserCapabilities{}, offer.BrowserCapabilities{MultiTabSupport: true, CacheSupported: true, Elicitation: true}
	for _, c := range []struct {
		name       string
		own, pages offer.BrowserCapabilities
		passes     bool
		want       offer.BrowserCapabilities
	}{
		{"nothing", none, none, true, none},
		{"the hub's own", every, none, true, every},
		{"a page's", none, offer.BrowserCapabilities{CacheSupported: true}, true, offer.BrowserCapabilities{MultiTabSupport: true, CacheSupported: true}},
		{"both", offer.BrowserCapabilities{MultiTabSupport: true}, offer.BrowserCapabilities{Elicitation: true}, true, offer.BrowserCapabilities{MultiTabSupport: true, Elicitation: true}},
		{"questions that are not passed on", every, every, false, offer.BrowserCapabilities{MultiTabSupport: true, CacheSupported: true}},
		{"nothing but those", none, offer.BrowserCapabilities{Elicitation: true}, false, none},
	} {
		if got := c.own.Declared(c.pages, c.passes); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
