package registry

import "testing"

func TestSites(t *testing.T) {
	for _, c := range []struct{ address, site, label, opens string }{
		{"https://Shop.example/a?b#c", "https://shop.example", "shop.example", "https://Shop.example/a?b#c"},
		{"https://shop.example:443/", "https://shop.example", "shop.example", "https://shop.example:443/"},
		{"https://shop.example:8443/", "https://shop.example:8443", "shop.example:8443", "https://shop.example:8443/"},
		{"http://shop.example/", "http://shop.example", "http://shop.example", "http://shop.example/"},
		{"http://localhost/", "http://localhost", "localhost:80", "http://localhost/"},
		{"https://127.0.0.1:3000/x", "https://127.0.0.1:3000", "127.0.0.1:3000", "https://127.0.0.1:3000/x"},
		{"http://[::1]:80/x", "http://[::1]", "[::1]:80", "http://[::1]:80/x"},
		{"https://shop.example/100%", "https://shop.example", "shop.example", "https://shop.example/100%"},
		{"blob:https://shop.example/1-2", "https://shop.example", "shop.example", "https://shop.example/"},
		{"chrome-extension://abc/x.html", "", "", ""},
		{"file:///etc/hosts", "", "", ""},
		{"about:blank", "", "", ""},
		{"", "", "", ""},
	} {
		site := SiteOf(c.address)
		if site != c.site || siteLabel(site) != c.label {
			t.Errorf("%q is of the site %q, called %q, want %q, %q", c.address, site, siteLabel(site), c.site, c.label)
		}
		if site == "" {
			continue
		}
		if SiteOf(site) != site {
			t.Errorf("%q is of the site %q", site, SiteOf(site))
		}
		if got := opens(site, c.address); got != c.opens {
			t.Errorf("for a tool of %q, %q is opened, want %q", c.address, got, c.opens)
		}
	}
}

// Two hosts may look alike in names, but not in descriptions.
func TestDescriptionsFollowTheSite(t *testing.T) {
	h := newHub(t, Options{Naming: MCPBNames})
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
	h := newHub(t, Options{Naming: MCPBNames})
	h.step(FrontTaken{Page: "A"})
	h.open("A", "https://a.test/")
	h.report("A", "x")
	if got := h.server["website_tool_a_test_tab1_x"]; got == nil || got.Description != "[WebMCP • a.test • Tab 1 Active] No description" {
		t.Errorf("got %+v", got)
	}
}
