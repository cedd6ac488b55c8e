package names

import (
	"slices"
	"strings"
	"testing"
)

func TestOriginPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"https://shop.example",
			[]string{"https://shop.example/cart?x#y", "https://SHOP.example:443/", "https://shop.example./", "blob:https://shop.example/1-2", "https://u:p@shop.example/", "https://shop.example/100%", "https://shop.example#50%", `https://shop.example\x`},
			[]string{"http://shop.example/", "https://shop.example:8443/", "https://www.shop.example/", "https://shop.example.evil/", "https://evil/?https://shop.example", `https://evil\@shop.example/`, "https://shop.example@evil/", "about:blank", "data:text/html,x", "", "file:///etc/passwd"}},
		{"https://*.shop.example",
			[]string{"https://www.shop.example/", "https://a.b.shop.example/"},
			[]string{"https://shop.example/", "https://evilshop.example/", "https://www.shop.example:8443/", "https://www.shop.example.evil/"}},
		{"http://localhost:*", []string{"http://localhost/", "http://localhost:3000/x"}, []string{"https://localhost:3000/", "http://127.0.0.1:3000/"}},
		{"https://*.shop.example:8443", []string{"https://a.shop.example:8443/"}, []string{"https://a.shop.example/"}},
		{"http://localhost:80", []string{"http://localhost/"}, []string{"http://localhost:81/"}},
		{"*://shop.example", []string{"https://shop.example/", "http://shop.example/", "chrome-extension://shop.example/"}, []string{"https://shop.example:80/", "http://shop.example:443/"}},
		{"*://*:*", []string{"https://a/", "http://b:1/"}, []string{"about:blank", "data:,x", "file:///x", "https://:1/"}},
		{"https://*", []string{"https://a/"}, []string{"https://a:1/", "http://a/"}},
		{"http://[::1]:*", []string{"http://[::1]:5/", "http://[0:0:0:0:0:0:0:1]/"}, []string{"http://[::2]/"}},
		{"http://[::1]", []string{"http://[::1]/", "http://[::1]:80/"}, []string{"http://[::1]:5/"}},
		{"wss://shop.example", []string{"wss://shop.example:443/"}, []string{"wss://shop.example:80/"}},
		{"ws://shop.example", []string{"ws://shop.example:80/"}, []string{"ws://shop.example:443/"}},
		{"HTTPS://Shop.Example/", []string{"https://shop.example/"}, nil},
		{"*", []string{"about:blank", "data:,x", "file:///x", "https://a:1/", ""}, nil},
	} {
		o, err := ParseOrigins([]string{c.pattern}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, a := range c.yes {
			if !o.Permits(a) {
				t.Errorf("%s does not permit %q", c.pattern, a)
			}
		}
		for _, a := range c.no {
			if o.Permits(a) {
				t.Errorf("%s permits %q", c.pattern, a)
			}
		}
		deny, _ := ParseOrigins([]string{"*"}, []string{c.pattern})
		for _, a := range c.yes {
			if deny.Permits(a) {
				t.Errorf("--deny-origin %s permits %q", c.pattern, a)
			}
		}
	}
	for _, bad := range []string{"", "shop.example", "https://", "://x", "https://a*b", "https://x.*", "https://x/path", "https://x:port", "https://x:70000", "https://u@x", "ht*://x", "https://bücher.example", "https://*.*.x", "a/b://x", "a:b://x", "u@a://x"} {
		if _, err := ParseOrigins([]string{bad}, nil); err == nil || !strings.Contains(err.Error(), "https://*.shop.example") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNoOriginsPermitAll(t *testing.T) {
	for _, o := range []*Origins{nil, {}} {
		if !o.Permits("data:,x") || !o.Permits("https://x/") {
			t.Error("something is refused without a rule")
		}
	}
}

// FuzzOrigins: a denied host stays denied, however its address is written.
func FuzzOrigins(f *testing.F) {
	f.Add("https://evil.example/")
	o, err := ParseOrigins(nil, []string{"*://evil.example:*"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if at := ParseAddress(address); at.Host == "evil.example" && o.Permits(address) {
			t.Errorf("%q is permitted", address)
		}
	})
}

// What the rules may hold is bounded: every page gets them.
func TestOriginsAreBounded(t *testing.T) {
	many := slices.Repeat([]string{"https://a.example"}, 1000)
	if _, err := ParseOrigins(many, many); err != nil {
		t.Error(err)
	}
	if _, err := ParseOrigins(nil, append(many, "*")); err == nil || !strings.Contains(err.Error(), "at most 1000") {
		t.Error(err)
	}
	if _, err := ParseOrigins([]string{"https://" + strings.Repeat("a", 300)}, nil); err == nil || !strings.Contains(err.Error(), "too long") || len(err.Error()) > 200 {
		t.Error(err)
	}
}
