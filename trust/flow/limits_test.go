package flow

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestWhatIsNotComparedCounts: what an action says beyond what is compared of it isn't free, and digits of other scripts
// are digits.
func TestWhatIsNotComparedCounts(t *testing.T) {
	if got := string(squeeze("٤٧١١ ४७११ 𝟒𝟕𝟏𝟏 4711").bytes); got != "4711471147114711" {
		t.Errorf("the digits are %q", got)
	}
	var decoys []string
	for i := range 2 * maxMeant {
		decoys = append(decoys, base64.StdEncoding.EncodeToString([]byte(strings.Repeat("harmless words ", 2)+strings.Repeat("x", i))))
	}
	for name, says := range map[string][]string{
		"a long text":     {strings.Repeat("a ", maxPayload)},
		"many meanings":   decoys,
		"nothing of both": {"a short text"},
	} {
		if s := newPayload(nil, says, nil, nil); s.cut != (name != "nothing of both") {
			t.Errorf("%s: cut is %v", name, s.cut)
		}
	}
	if !newPayload(nil, nil, []string{strings.Repeat("a", maxPayload), "b"}, nil).cut {
		t.Error("long names are compared")
	}
}
