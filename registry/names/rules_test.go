package names

import (
	"encoding/json"
	"flag"
	"os"
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
	var rows []row
	for _, pattern := range []string{"https://shop.example", "https://*.shop.example", "http://localhost:*", "https://*.shop.example:8443", "http://localhost:80", "*://shop.example", "*://*:*", "https://*",
		"http://[::1]:*", "http://[0:0:0:0:0:0:0:1]", "chrome-extension://*", "*"} {
		allow, err := ParseOrigins([]string{pattern}, nil)
		if err != nil {
			t.Fatal(err)
		}
		deny, _ := ParseOrigins(nil, []string{pattern})
		for _, origin := range origins {
			rows = append(rows, row{"allow " + pattern, allow.Rules(), origin, !allow.Refuses(origin, "", true)}, row{"deny " + pattern, deny.Rules(), origin, !deny.Refuses(origin, "", true)})
		}
	}
	const file = "testdata/origin-rules.json"
	got, err := json.MarshalIndent(rows, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *updateRules {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(got) != string(want) {
		t.Errorf("%s is out of date, run with -update-rules: %v", file, err)
	}
	if (*Origins)(nil).Rules() != nil || (&Origins{}).Rules() != nil {
		t.Error("there are rules where there are none")
	}
}
