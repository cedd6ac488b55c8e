package extlink

import (
	"slices"
	"strings"
	"testing"
)

// The hub never says rules that its extension refuses (extension/test/protocol.test.js).
func TestEncodeChecksOriginRules(t *testing.T) {
	none, some := []OriginPattern{}, []OriginPattern{{Any: true}, {Scheme: "https", Host: ".a.test", Port: "default"}}
	got, err := Encode(Connect{Origins: &OriginRules{Allow: some, Deny: none}})
	if want := `{"type":"connect","origins":{"allow":[{"any":true},{"scheme":"https","host":".a.test","port":"default"}],"deny":[]}}`; string(got) != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for why, bad := range map[string]OriginRules{
		"without allow": {Deny: none},
		"1001 patterns": {Allow: slices.Repeat(some, 501)[:1001], Deny: none},
		"of 301 bytes":  {Allow: none, Deny: []OriginPattern{{Host: strings.Repeat("x", 301)}}},
	} {
		if raw, err := Encode(Connect{Origins: &bad}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %.100s, %v", why, raw, err)
		}
	}
}
