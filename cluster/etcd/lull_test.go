package etcd

import (
	"testing"
	"time"
)

// A member that is slow, and answers, is hung up on less and less often.
func TestSlowMemberIsLetBe(t *testing.T) {
	h, begun := hungUp{}, time.Now()
	for _, c := range []struct {
		after time.Duration
		may   bool
	}{{0, true}, {9 * time.Second, false}, {10 * time.Second, true}, {29 * time.Second, false}, {30 * time.Second, true}, {69 * time.Second, false}, {70 * time.Second, true}} {
		if may := h.may("slow", begun.Add(c.after)); may != c.may {
			t.Errorf("after %v it may be hung up on: %t", c.after, may)
		}
	}
	if !h.may("another", begun.Add(71*time.Second)) {
		t.Error("another member isn't hung up on")
	}
	now := begun
	for range 20 {
		now = now.Add(longestLull)
		if !h.may("slow", now) {
			t.Errorf("it is let be for longer than %v", longestLull)
		}
	}
}
