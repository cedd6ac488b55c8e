package hosts

import (
	"strings"
	"testing"
)

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

// TestCheckURL: what is wrong is said, without what may be secret.
func TestCheckURL(t *testing.T) {
	for text, want := range map[string]string{
		"ws://h:1/x?token=s3cret":             "",
		"wss://h":                             "",
		"127.0.0.1:9222":                      `not "127.0.0.1:9222"`,
		"http://h/x":                          `not "http://h/x"`,
		"http://user:s3cret@h/x?token=s3cret": `not "h/x"`,
		"user:s3cret@h#s3cret":                `not "h"`,
		"ws:///x":                             "begins with ws:// or wss://",
	} {
		err := CheckURL("--flag", text, "ws", "wss")
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
