package names

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
		if site != c.site || SiteLabel(site) != c.label {
			t.Errorf("%q is of the site %q, called %q, want %q, %q", c.address, site, SiteLabel(site), c.site, c.label)
		}
		if site == "" {
			continue
		}
		if SiteOf(site) != site {
			t.Errorf("%q is of the site %q", site, SiteOf(site))
		}
		if got := SiteAddress(site, c.address); got != c.opens {
			t.Errorf("for a tool of %q, %q is opened, want %q", c.address, got, c.opens)
		}
	}
}
