package loglimit

import (
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
)

// TestAllow: ten lines come at once and then one a second, which says how many were
// left out.
func TestAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Limit
		said := 0
		for range 15 {
			if unsaid, ok := l.Allow(); ok && unsaid == 0 {
				said++
			}
		}
		if said != 10 {
			t.Errorf("%d lines came at once", said)
		}
		fakeclock.Elapse(time.Second)
		if unsaid, ok := l.Allow(); !ok || unsaid != 5 {
			t.Errorf("after a second: %v, with %d left out", ok, unsaid)
		}
		if _, ok := l.Allow(); ok {
			t.Error("a second line came in that second")
		}
	})
}
