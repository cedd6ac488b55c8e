package trust

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWhatIsOverWaits(t *testing.T) {
	now := time.Unix(1e9, 0)
	l := NewRateCounter[string](2)
	for i, step := range []struct {
		caller string
		after  time.Duration
		want   time.Duration
	}{
		{"a", 0, 0}, {"a", 10 * time.Second, 0}, {"a", 20 * time.Second, 40 * time.Second}, {"b", 20 * time.Second, 0},
		{"a", 60 * time.Second, 0}, {"a", 61 * time.Second, 9 * time.Second}, {"a", 70 * time.Second, 0},
	} {
		at := now.Add(step.after)
		if got := l.Wait(step.caller, at); got != step.want {
			t.Errorf("step %d: waits %v, want %v", i, got, step.want)
		} else if got == 0 {
			l.Count(step.caller, at)
		}
	}
	if got := l.Wait("a", now.Add(-time.Hour)); got != RateWindow {
		t.Errorf("a clock that was set back makes it wait %v", got)
	}
}

// In no minute are more calls made than the limit lets, and who waits as told may call,
// whatever other callers do.
func TestNoWindowHasMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		max := rapid.IntRange(1, 5).Draw(t, "max")
		l, now := NewRateCounter[int](max), time.Unix(1e9, 0)
		made := map[int][]time.Time{}
		for range 100 {
			now = now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(t, "ms")) * time.Millisecond)
			who := rapid.IntRange(0, 3).Draw(t, "caller")
			if wait := l.Wait(who, now); wait > 0 {
				if l.Wait(who, now.Add(wait)) != 0 {
					t.Fatalf("after %v it waits on", wait)
				}
				if n := len(made[who]); n < max || now.Sub(made[who][n-max]) >= RateWindow {
					t.Fatalf("it waits, having made %v", made[who])
				}
				continue
			}
			l.Count(who, now)
			made[who] = append(made[who], now)
			if n := len(made[who]); n > max && now.Sub(made[who][n-1-max]) < RateWindow {
				t.Fatalf("%d calls in %v", max+1, now.Sub(made[who][n-1-max]))
			}
		}
	})
}

// Callers are told apart up to a number, and forgotten when they are quiet.
func TestCallersAreBounded(t *testing.T) {
	l, now := NewRateCounter[string](1), time.Unix(1e9, 0)
	for i := range 2 * maxCallers {
		l.Count(fmt.Sprint(i), now)
	}
	if len(l.callers) != maxCallers || l.Wait("one more", now) == 0 || l.Wait("0", now) == 0 {
		t.Errorf("%d callers are kept", len(l.callers))
	}
	now = now.Add(RateWindow)
	if l.Wait("one more", now) != 0 || l.Wait("0", now) != 0 {
		t.Error("those that are quiet are not forgotten")
	}
	for i := range maxCallers / 2 {
		l.Count(fmt.Sprint("new", i), now)
	}
	if n := len(l.callers); n > maxCallers/2+sweep {
		t.Errorf("%d callers are kept, %d of which are quiet", n, n-maxCallers/2)
	}
}

// A decision costs the same with as many callers as are told apart, all of them busy or
// all quiet.
func BenchmarkDecide(b *testing.B) {
	l, now := NewRateCounter[int](60), time.Unix(1e9, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		now = now.Add(time.Millisecond)
		if who := i % (3 * maxCallers); l.Wait(who, now) == 0 {
			l.Count(who, now)
		}
	}
}
