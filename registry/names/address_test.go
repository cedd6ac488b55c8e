package names

import (
	"errors"
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
		{"https://bücher.example?q=\"ä\"", "https://xn--bcher-kva.example?q=\"ä\"", ""},
		{"https://BÜCHER.example/", "https://xn--bcher-kva.example/", ""},
		{"https://user@ｅvil。test:0443/x@y", "https://user@evil.test:443/x@y", ""},
		{"https://%EF%BD%85vil.test/", "https://evil.test/", ""},
		{"https://my_host.local:/", "https://my_host.local:/", ""},
		{"http://2130706433:8080/", "http://127.0.0.1:8080/", ""},
		{"http://127.1/", "http://127.0.0.1/", ""},
		{"http://0x7F.0.0.1", "http://127.0.0.1", ""},
		{"http://0177.0.0.0x1.", "http://127.0.0.1", ""},
		{"http://１２７.１/", "http://127.0.0.1/", ""},
		{"http://10.0.0.1:0/", "http://10.0.0.1:0/", ""},
		{"http://256.0.0.1/", "", "is not a valid URL"},
		{"http://1.2.3.4.5/", "", "is not a valid URL"},
		{"http://a.08/", "", "is not a valid URL"},
		{"http://4294967296/", "", "is not a valid URL"},
		{"http://0x/", "http://0.0.0.0/", ""},
		{"https://ünknown.test/", "", "is not a valid URL"},
		{"https://%65vil.test/", "", "is not a valid URL"},
		{"https://xn--a.test/", "https://xn--a.test/", ""},
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
		got, err := CheckAddress("open_tab", c.given, func(host string) (string, error) {
			ascii, known := map[string]string{"bücher.example": "xn--bcher-kva.example", "ｅvil。test": "evil.test", "ｅvil.test": "evil.test", "１２７.１": "127.1"}[strings.ToLower(host)]
			if !known {
				return "", errors.New(host)
			}
			return ascii, nil
		})
		switch {
		case got != c.want || (err == nil) != (c.says == ""):
			t.Errorf("%q: got %q (%v), want %q", c.given, got, err, c.want)
		case err != nil && (!strings.Contains(err.Error(), c.says) || sanitize.Text(err.Error(), 1<<20) != err.Error()):
			t.Errorf("%q: got %q, want an error that says %q", c.given, err, c.says)
		}
	}
}
