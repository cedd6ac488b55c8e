package extlink

import (
	"encoding/json"
	"strings"
	"testing"
)

// The hub never says rules that its extension refuses (extension/test/protocol.test.js).
func TestEncodeChecksOriginRules(t *testing.T) {
	const good = `{"allow":[{"any":true},{"scheme":"https","host":".a.test","port":"default"}],"deny":[]}`
	got, err := Encode(Connect{Origins: json.RawMessage(good)})
	if want := `{"type":"connect","origins":` + good + `}`; string(got) != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for why, bad := range map[string]string{
		"without allow": `{"deny":[]}`,
		"1001 patterns": `{"allow":[` + strings.Repeat(`{"any":true},`, 1000) + `{"any":true}],"deny":[]}`,
		"of 301 bytes":  `{"allow":[],"deny":[{"host":"` + strings.Repeat("x", 301) + `"}]}`,
	} {
		if raw, err := Encode(Connect{Origins: json.RawMessage(bad)}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %.100s, %v", why, raw, err)
		}
	}
}
