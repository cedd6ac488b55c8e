package names

import "testing"

// What leads elsewhere than it seems to, or to where nobody can tell by its text, isn't
// plain.
func TestPlainAddresses(t *testing.T) {
	for _, plain := range []string{"about:blank", "https://shop.example", "HTTPS://Shop.Example./x?y#z", "http://localhost:3000/", "https://xn--bcher-kva.example/ü", "http://127.0.0.1:8080/", "http://[::1]:80", "https://a_b.example/http://x@y:0443",
		"https://7up.example", "https://0x.example", "https://example.0xyz"} {
		if !Plain(plain) {
			t.Errorf("%s isn't plain", plain)
		}
	}
	for _, odd := range []string{"", "https://", "https:///evil.test", "https:evil.test", "ftp://evil.test", "https://bücher.example/", "https://ｅvil.test/", "https://evil。test/", "https://%65vil.test/", "https://evil.test\\@shop.example/", `https:\\evil.test`,
		"http://2130706433:8080/", "http://127.1/", "http://0x7f.0.0.1/", "http://127.0.0.01/", "http://127.0.0.0x1", "http://1.2.3.4.5", "http://0x7f000001", "http://0X", "https://evil.test:0443/", "https://evil.test:/", "https://evil.test:99999/", "https://shop.example@evil.test/",
		"http://[::1", "http://[fe80::1%25a]/", "http://[127.0.0.1]/", "https://a b.example/", "https://a\tb.example/"} {
		if Plain(odd) {
			t.Errorf("%s is plain", odd)
		}
	}
}
