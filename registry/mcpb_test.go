package registry

import (
	"testing"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Two hosts may look alike in names, but not in descriptions.
func TestDescriptionsFollowTheSite(t *testing.T) {
	h := newHub(t, Options{Naming: offer.MCPBNames})
	h.open("A", "https://a-b.test/")
	h.report("A", "x")
	h.navigate("A", "https://a_b.test/")
	h.report("A", "x")
	for _, name := range []string{"website_tool_a_b_test_x", "website_tool_a_b_test_tab1_x"} {
		if got := h.server[name]; got == nil || got.Description != "[WebMCP • a_b.test • Tab 1] No description" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The browser may say which tab is at the front before the tab is known.
func TestATabThatWasAtTheFrontBefore(t *testing.T) {
	h := newHub(t, Options{Naming: offer.MCPBNames})
	h.step(ActivatedByHub{Page: "A"})
	h.open("A", "https://a.test/")
	h.report("A", "x")
	if got := h.server["website_tool_a_test_tab1_x"]; got == nil || got.Description != "[WebMCP • a.test • Tab 1 Active] No description" {
		t.Errorf("got %+v", got)
	}
}

// A site's tool goes to the tab that suits best in any of several browsers, and to none where
// the browser's own rules keep the site out. Without that browser it goes to another's.
func TestSitesOfSeveralBrowsers(t *testing.T) {
	denied, err := names.ParseOrigins(nil, []string{"https://shop.test"})
	if err != nil {
		t.Fatal(err)
	}
	h := newHub(t, Options{Naming: offer.MCPBNames})
	h.step(BrowsersNamed{Browsers: []NamedBrowser{{Name: "a"}, {Name: "b"}, {Name: "ruled"}}})
	for _, name := range []string{"a", "b", "ruled"} {
		opened := PageOpened{Page: PageID(name + "/1"), Browser: name, URL: "https://shop.test/"}
		if name == "ruled" {
			opened.Origins = denied
		}
		h.step(opened)
		h.gens[opened.Page] = 1
		h.navigate(opened.Page, "https://shop.test/")
		h.report(opened.Page, "buy")
		h.flush()
	}
	h.want("website_tool_shop_test_buy", "website_tool_shop_test_tab1_buy", "website_tool_shop_test_tab2_buy")
	goes := func(why, want string) {
		t.Helper()
		h.flush()
		routed := h.served.SiteTools()
		if want == "" {
			if len(routed) != 0 {
				t.Errorf("%s: there are %d tools of sites", why, len(routed))
			}
			return
		}
		if len(routed) != 1 {
			t.Fatalf("%s: there are %d tools of sites", why, len(routed))
		}
		if to := h.served.ChooseTab(routed[0].SiteTool, nil); to == nil || string(to.Route.Page) != want+"/1" {
			t.Errorf("%s: it goes to %+v, want %s", why, to, want)
		}
	}
	goes("b was updated last", "b")
	h.step(ActivatedByHub{Page: "a/1"})
	goes("the user looks at that of a", "a")
	h.step(ActivatedByHub{Page: "ruled/1"})
	goes("the user looks at one that may offer nothing", "b")
	h.step(PageClosed{Page: "b/1"})
	goes("b is lost", "a")
	h.step(PageClosed{Page: "a/1"})
	goes("only the one with rules is left", "")
}
