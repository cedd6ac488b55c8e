package page

import (
	"testing"
	"time"
)

// TestResting: a document is left most of its time, but also where a look at it takes seconds, as on
// a busy machine, a change is noticed soon after it: half a minute is all that a wait has.
func TestResting(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: 50 * time.Millisecond, 5 * time.Millisecond: 50 * time.Millisecond, 100 * time.Millisecond: 500 * time.Millisecond,
		time.Second: 3 * time.Second, 6 * time.Second: 3 * time.Second, time.Minute: 3 * time.Second,
	} {
		if got := resting(took); got != want {
			t.Errorf("after a look of %v it rests %v, not %v", took, got, want)
		}
		if watches := recheckAfter(took) - took; watches < 2*want {
			t.Errorf("after a look of %v it watches for %v before it looks again though nothing has changed", took, watches)
		}
	}
}
