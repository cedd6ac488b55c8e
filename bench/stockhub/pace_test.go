package stockhub

import (
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
)

func TestPacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var told []time.Duration
		p := &pacer{interval: 10 * time.Millisecond, tell: func() { told = append(told, time.Since(begun)) }}
		for range 100 { // 100 changes in 25 ms
			p.change()
			fakeclock.Elapse(250 * time.Microsecond)
		}
		fakeclock.Elapse(time.Second)
		p.change()
		synctest.Wait()
		want := []time.Duration{0, 10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond, 1025 * time.Millisecond}
		if len(told) != len(want) {
			t.Fatalf("told at %v, want %v", told, want)
		}
		for i := range want {
			if told[i] != want[i] {
				t.Errorf("told at %v, want %v", told, want)
			}
		}
		fakeclock.Elapse(time.Second) // the last timer ends before the bubble
	})
}
