package hosts

import "testing"

// Names are what Chrome makes of them.
func TestASCII(t *testing.T) {
	for host, want := range map[string]string{
		"bücher.example": "xn--bcher-kva.example", "BÜCHER.Example": "xn--bcher-kva.example", "ｅvil。test": "evil.test",
		"my_höst.local": "xn--my_hst-zxa.local", "faß.de": "xn--fa-hia.de", "１２７.１": "127.1", "so\u00adft.ü": "soft.xn--tda",
	} {
		if got, err := ASCII(host); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", host, got, err, want)
		}
	}
}
