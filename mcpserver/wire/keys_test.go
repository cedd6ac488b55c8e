package wire

import (
	"testing"

	"webmcphub/registry/sanitize"
)

// Each question of one piece of work has a key of its own, and the hub's are never taken for a page's.
func TestKeysOfQuestions(t *testing.T) {
	var rs Rounds
	for _, c := range []struct {
		name, key string
		hubs      bool
	}{
		{"", "page-1", false},
		{sanitize.NameOfApproval, "approval", true},
		{"mine", "mine", false},
		{"mine", "page-4", false},
		{sanitize.NameOfApproval, "approval-5", true},
		{sanitize.NameOfPins, "pins", true},
	} {
		rs.last++
		key, hubs := rs.keyFor([]byte(`{"_meta":{"` + sanitize.RequestNameKey + `":"` + c.name + `"}}`))
		if key != c.key || hubs != c.hubs {
			t.Errorf("%q: the key is %q (the hub's: %t), want %q (%t)", c.name, key, hubs, c.key, c.hubs)
		}
	}
}
