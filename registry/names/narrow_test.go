package names

import (
	"strings"
	"testing"
)

// TestNarrowed: what both permit is permitted, whatever the patterns look like, and nothing else.
func TestNarrowed(t *testing.T) {
	patterns := []string{"", "*", "https://*", "*://*:*", "https://*.shop.example", "https://eu.shop.example", "*://*.eu.shop.example:*", "*://*:443", "*://eu.shop.example:80", "http://*:8080", "https://shop.example:443", "ws://*", "*://*"}
	var origins []string
	for _, scheme := range []string{"http", "https", "ws", "ftp"} {
		for _, host := range []string{"shop.example", "eu.shop.example", "a.eu.shop.example", "other.example"} {
			for _, port := range []string{"", ":80", ":443", ":8080"} {
				origins = append(origins, scheme+"://"+host+port)
			}
		}
	}
	origins = append(origins, "data:text/html,x", "about:blank")
	parse := func(allow, deny string) *Origins {
		list := func(s string) []string {
			if s == "" {
				return nil
			}
			return []string{s}
		}
		o, err := ParseOrigins(list(allow), list(deny))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for _, a := range patterns {
		for _, b := range patterns {
			for _, deny := range []string{"", "https://*.shop.example"} {
				all, own := parse(a, ""), parse(b, deny)
				n, err := all.Narrowed(own)
				some := false
				for _, at := range origins {
					both := all.Permits(at) && own.Permits(at)
					some = some || both
					if err == nil && n.Permits(at) != both {
						t.Errorf("%q narrowed by %q without %q: %s is permitted: %v", a, b, deny, at, n.Permits(at))
					}
				}
				if err != nil && some {
					t.Errorf("%q narrowed by %q: %v", a, b, err)
				}
			}
		}
	}
	if _, err := parse("https://a.example", "").Narrowed(parse("https://b.example", "")); err == nil || !strings.Contains(err.Error(), "nothing in common") {
		t.Errorf("nothing is left: %v", err)
	}
	own := (*Origins)(nil).WithOwn(NewOwn("4321"))
	n, err := own.Narrowed(parse("*", ""))
	if err != nil || n.Permits("http://localhost:4321/") {
		t.Errorf("the hub's own page is permitted: %v", err)
	}
	if n, err = (*Origins)(nil).Narrowed(parse("https://a.example", "")); err != nil || !strings.Contains(n.Refusal("", "https://b.example"), "of its browser in --browsers") {
		t.Errorf("got %+v, %v", n, err)
	}
}
