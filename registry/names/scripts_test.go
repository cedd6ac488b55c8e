package names

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
)

// The expressions say of each origin what [Origins.Permits] says.
func TestOriginExpressions(t *testing.T) {
	rules := []string{
		"*", "https://*", "*://*", "*://*:*", "https://shop.test", "https://*.shop.test", "*://shop.test:*", "http://localhost:*", "http://localhost:8080",
		"*://shop.test:443", "https://shop.test:443", "*://*:80", "http://[::1]:*", "https://127.0.0.1",
	}
	origins := []string{
		"null", "https://shop.test", "http://shop.test", "https://shop.test:8443", "http://shop.test:443", "https://a.shop.test", "https://a.b.shop.test", "https://ashop.test",
		"https://shop.test.evil.test", "https://shop.test.", "http://localhost", "http://localhost:8080", "http://[::1]:8080", "https://127.0.0.1", "https://shopxtest", "chrome-extension://abc", "ws://shop.test",
	}
	says := func(list []string, origin string) bool {
		return slices.ContainsFunc(list, func(e string) bool { return regexp.MustCompile(e).MatchString(origin) })
	}
	for _, allow := range append(rules, "") {
		for _, deny := range append(rules, "") {
			o, err := ParseOrigins(some(allow), some(deny))
			if err != nil {
				t.Fatal(err)
			}
			a, d := o.Expressions()
			for _, origin := range origins {
				if got, want := !says(d, origin) && (len(a) == 0 || says(a, origin)), o.Permits(origin); got != want {
					t.Errorf("allow %q, deny %q: %s is %v by %q, %q; permitted is %v", allow, deny, origin, got, a, d, want)
				}
			}
		}
	}
}

func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func TestMatchPatterns(t *testing.T) {
	for _, c := range []struct{ allow, deny, want string }{
		{"", "", "[<all_urls>] []"},
		{"*", "https://bank.test", "[<all_urls>] [https://bank.test:443/*]"},
		{"", "*://*.bank.test:*", "[<all_urls>] [http://*.bank.test:*/* https://*.bank.test:*/*]"},
		{"https://*.shop.test", "", "[https://*.shop.test:443/*] [https://shop.test:443/*]"},
		{"http://localhost:*", "", "[http://localhost:*/*] []"},
		{"http://[::1]:8080", "*", "[http://[::1]:8080/*] [<all_urls>]"},
		{"gopher://old.test", "", "[] []"},
	} {
		o, err := ParseOrigins(some(c.allow), some(c.deny))
		if err != nil {
			t.Fatal(err)
		}
		matches, exclude := o.MatchPatterns()
		if got := fmt.Sprintf("%v %v", matches, exclude); got != c.want {
			t.Errorf("allow %q, deny %q: %s, want %s", c.allow, c.deny, got, c.want)
		}
	}
	if matches, exclude := (*Origins)(nil).MatchPatterns(); fmt.Sprint(matches, exclude) != "[<all_urls>] []" {
		t.Error(matches, exclude)
	}
}
