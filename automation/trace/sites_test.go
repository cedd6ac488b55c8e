package trace

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

func TestSites(t *testing.T) {
	text := `[{"args":{"url":"https://Shop.example:8443/cart?to=http%3A%2F%2Fno.example"}},{"stack":"at f (http:\/\/[::1]:8080\/a.js:1:2)"},
		{"url":"wss://socket.example/"},"\nhttps://line.example/",{"link":"\u003Chttps://link.example/>; rel=preload"},"blob:HTTPS://blob.example/1",{"url":"https://user:secret@bank.example/"},"https://täg.example/x","https://127.0.0.1","xhttps://maybe.example"]`
	want := []string{"http://[::1]:8080", "https://127.0.0.1", "https://bank.example", "https://blob.example", "https://line.example", "https://link.example", "https://maybe.example", "https://shop.example:8443", "https://socket.example", "https://täg.example"}
	got, err := Sites(bytes.NewReader(zipped(text)))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	// Wherever a piece of the file ends, no site is cut in two.
	long := strings.Repeat(" ", 256<<10)
	for shift := range 40 {
		got, err := Sites(iotest.HalfReader(bytes.NewReader(zipped(long[shift:] + text + long[700-shift:] + text))))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%d: %q, %v", shift, got, err)
		}
	}
	// Nor by what stands before it.
	secret := `"https://user:` + strings.Repeat("x", 2000) + `@bank.example/"`
	for before := 256<<10 - 2100; before < 256<<10; before += 100 {
		got, err := Sites(bytes.NewReader(zipped(strings.Repeat(" ", before) + secret)))
		if err != nil || !slices.Equal(got, []string{"https://bank.example"}) {
			t.Fatalf("%d: %q, %v", before, got, err)
		}
	}
	var many strings.Builder
	for i := range maxSites + 1 {
		fmt.Fprintf(&many, "https://s%d.example/ ", i)
	}
	for _, bad := range [][]byte{nil, []byte("plain"), zipped(text)[:60], zipped(many.String())} {
		if got, err := Sites(bytes.NewReader(bad)); err == nil {
			t.Errorf("%d sites of a file that has no end, or too many", len(got))
		}
	}
}
