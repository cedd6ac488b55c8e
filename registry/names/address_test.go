package names

import (
	"strings"
	"testing"

	"webmcphub/registry/sanitize"
)

func TestCheckAddress(t *testing.T) {
	for _, c := range []struct{ given, want, says string }{
		{"https://example.com", "https://example.com", ""},
		{" HTTP://example.com:8080/a b?c#d/100% ", "HTTP://example.com:8080/a b?c#d/100%", ""},
		{"http://localhost:3000", "http://localhost:3000", ""},
		{"http://[::1]:3000/", "http://[::1]:3000/", ""},
		{"https://bücher.example?q=\"ä\"", "https://bücher.example?q=\"ä\"", ""},
		{"https://user:pass@example.com/", "https://user:pass@example.com/", ""},
		{"about:blank", "about:blank", ""},
		{"About:Blank", "about:blank", ""},
		{"", "", "the URL is empty"},
		{" \n", "", "the URL is empty"},
		{"example.com/path", "", "is not a whole URL. Give one with its scheme, such as https://example.com/path"},
		{"//example.com", "", "such as https://example.com"},
		{"localhost:3000", "", "such as https://localhost:3000"},
		{"127.0.0.1:3000", "", "is not a whole URL"},
		{"https:example.com", "", "is not a valid URL"},
		{"https://", "", "is not a valid URL"},
		{"https:///path", "", "is not a valid URL"},
		{"https://:80", "", "is not a valid URL"},
		{"https://a b/", "", "is not a valid URL"},
		{`https://good.example\@evil.example/`, "", "is not a valid URL"},
		{`https:\\example.com`, "", "is not a valid URL"},
		{"https://example.com:99999/", "", "is not a valid URL"},
		{"https://example.com:x/", "", "is not a valid URL"},
		{"https://example.com/\njavascript:1", "", "characters that no address has"},
		{"https://example.com/\xff", "", "characters that no address has"},
		{"https://example.com/" + strings.Repeat("a", maxAddress), "", "the URL has 32788 bytes"},
		{"file:///etc/passwd", "", "http and https addresses only, not file:"},
		{"FILE:///etc/passwd", "", "not file:"},
		{"javascript:alert(1)", "", "not javascript:"},
		{"data:text/html,hello", "", "not data:"},
		{"chrome://settings", "", "not chrome:"},
		{"chrome-extension://abc/x.html", "", "not chrome-extension:"},
		{"view-source:https://example.com", "", "not view-source:"},
		{"blob:https://example.com/1", "", "not blob:"},
		{"about:srcdoc", "", "not about:"},
		{"devtools://devtools", "", "not devtools:"},
	} {
		got, err := CheckAddress("open_tab", c.given)
		switch {
		case got != c.want || (err == nil) != (c.says == ""):
			t.Errorf("%q: got %q (%v), want %q", c.given, got, err, c.want)
		case err != nil && (!strings.Contains(err.Error(), c.says) || sanitize.Text(err.Error(), 1<<20) != err.Error()):
			t.Errorf("%q: got %q, want an error that says %q", c.given, err, c.says)
		}
	}
}
