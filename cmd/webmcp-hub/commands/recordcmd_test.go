package commands

import (
	"math"
	"strings"
	"testing"
)

// A limit that no file reaches, or that is none in bytes, is refused.
func TestTheLimitIsChecked(t *testing.T) {
	for limit, fine := range map[int]bool{1: true, 100: true, maxLimit: true, maxLimit + 1: false, math.MaxInt: false, 0: false, -5: false} {
		err := RecordFlags{RecordLimit: limit, RecordMask: "secrets"}.Check(true)
		if (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "--record-limit must be from 1 to 1048576") {
			t.Errorf("%d: got %v", limit, err)
		}
	}
}
