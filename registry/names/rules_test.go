package names

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var updateRules = flag.Bool("update-rules", false, "write testdata/origin-rules.json, by which the scripts in pages are tested")

// TestOriginRules keeps the table of what rules permit, by which
// extension/test/origin-rules.test.js holds the scripts in pages to the same.
func TestOriginRules(t *testing.T) {
	type row struct {
		Pattern   string          `json:"pattern"`
		Rules     json.RawMessage `json:"rules"`
		Origin    string          `json:"origin"`
		Permitted bool            `json:"permitted"`
	}
	origins := []string{"https://shop.example", "http://shop.example", "https://shop.example:8443", "https://www.shop.example", "https://a.b.shop.example:8443", "https://evilshop.example",
		"https://shop.example.", "http://localhost", "http://localhost:3000", "http://[::1]:5", "http://[::1]", "http://[::2]", "chrome-extension://abc", "file://", OpaqueOrigin}
	var rows []string
	judged := func(pattern string, allow, deny []string) {
		o, err := ParseOrigins(allow, deny)
		if err != nil {
			t.Fatal(err)
		}
		for _, origin := range origins {
			raw, err := json.Marshal(row{pattern, o.Rules(), origin, !o.Refuses(origin, "", true)})
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, string(raw))
		}
	}
	for _, pattern := range []string{"https://shop.example", "https://*.shop.example", "http://localhost:*", "https://*.shop.example:8443", "http://localhost:80", "*://shop.example", "*://*:*", "https://*",
		"http://[::1]:*", "http://[0:0:0:0:0:0:0:1]", "chrome-extension://*", "*"} {
		judged("allow "+pattern, []string{pattern}, nil)
		judged("deny "+pattern, nil, []string{pattern})
	}
	both := []string{"*", "https://*", "*://shop.example:*", "https://*.shop.example"}
	for _, allow := range both {
		for _, deny := range append(both, "https://shop.example", "http://localhost:*") {
			judged("allow "+allow+", deny "+deny, []string{allow}, []string{deny})
		}
	}
	const file = "testdata/origin-rules.json"
	got := "[\n" + strings.Join(rows, ",\n") + "\n]\n"
	if *updateRules {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || got != string(want) {
		t.Errorf("%s is out of date, run with -update-rules: %v", file, err)
	}
	if (*Origins)(nil).Rules() != nil || (&Origins{}).Rules() != nil {
		t.Error("there are rules where there are none")
	}
}
