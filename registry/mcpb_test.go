package registry

import "testing"

func TestSites(t *testing.T) {
	for _, c := range []struct{ address, site, front string }{
		{"https://Shop.example/a?b#c", "shop.example", "https://Shop.example/"},
		{"https://shop.example:8443/", "shop.example", "https://shop.example:8443/"},
		{"http://localhost/", "localhost:80", "http://localhost/"},
		{"https://127.0.0.1:3000/x", "127.0.0.1:3000", "https://127.0.0.1:3000/"},
		{"https://shop.example/100%", "shop.example", "https://shop.example/"},
		{"chrome-extension://abc/x.html", "", "chrome-extension://abc/"},
		{"file:///etc/hosts", "", ""},
		{"about:blank", "", ""},
		{"", "", ""},
	} {
		if got := SiteOf(c.address); got != c.site {
			t.Errorf("%q is of the site %q, want %q", c.address, got, c.site)
		}
		if got := frontPage(c.address); got != c.front {
			t.Errorf("the front page of %q is %q, want %q", c.address, got, c.front)
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
