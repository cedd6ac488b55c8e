package names

import (
	"fmt"
	"testing"
)

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
