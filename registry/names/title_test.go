package names

import "testing"

func TestTitleOf(t *testing.T) {
	for _, c := range []struct {
		url, address string
		want         bool
	}{
		{"https://a.test/", "https://a.test/", true},
		{"https://a.test/b", "https://a.test/", false},
		{"https://a.test/?q=1", "https://a.test/", false},
		{"https://a.test/", "https://b.test/", false},
		{"http://a.test/", "https://a.test/", false},
		{"blob:https://evil.test/1", "https://a.test/", false},
		{"https://a.test/", "blob:https://evil.test/1", false},
		{"data:text/html,evil", "https://a.test/", false},
		{"file:///a.html", "file:///b.html", false},
		{"https://a.test/", "about:blank", false},
		{"about:blank", "about:blank", true},
		{"https://a.test/#x", "https://a.test/", true}, // it was loaded there
		{"https://a.test/#x", "https://a.test/#x", true},
		{"https://a.test/#x", "https://a.test/#y", false},
		{"https://a.test/", "https://a.test/#y", false},
		{"https://a.test/b#x", "https://a.test/", false},
		{"https://a.test/", "https://me:pw@a.test/", true},
		{"https://me@a.test", "https://a.test", true},
		{"https://a.test/@b", "https://a.test/b", false},
		{"https://a.test?m=b@c", "https://c", false},
		{"chrome://newtab/", "chrome://new-tab-page/", true},
		{"https://a.test/", "chrome-error://chromewebdata/", true},
		{"view-source:https://a.test/", "https://a.test/", true},
		{"", "https://a.test/", true},
		{"https://a.test/", "", true},
	} {
		if got := (Title{URL: c.url}).Of(c.address); got != c.want {
			t.Errorf("a title of %q beside %q: %v", c.url, c.address, got)
		}
	}
}
