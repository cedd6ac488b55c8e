package trust

import (
	"container/list"
	"time"
)

// RateWindow is the time within which calls are counted.
const RateWindow = time.Minute

const (
	// maxCallers is how many callers a [RateCounter] distinguishes. Further callers count together as one, until one
	// of the others has been quiet for a whole [RateWindow].
	maxCallers = 10_000
	// sweep is how many quiet callers one call removes, which is more than the one that it can add.
	sweep = 4
)

// RateCounter lets each caller make max calls in any [RateWindow].
type RateCounter[K comparable] struct {
	max     int
	callers map[K]*caller[K]
	order   list.List // the callers; the one that called last is at the back
	others  *caller[K]
}

// caller is a caller that has called lately.
type caller[K comparable] struct {
	key   K
	made  []time.Time   // the calls that still count, the oldest first
	place *list.Element // in the order of callers
}

// NewRateCounter returns a RateCounter of max calls, which must be more than 0.
func NewRateCounter[K comparable](max int) *RateCounter[K] {
	return &RateCounter[K]{max: max, callers: map[K]*caller[K]{}, others: &caller[K]{}}
}

// Max returns how many calls each caller may make.
func (l *RateCounter[K]) Max() int { return l.max }

// Wait returns how long a caller must wait until it may make a call; 0 means not at all. It is never longer than a
// [RateWindow].
func (l *RateCounter[K]) Wait(key K, now time.Time) time.Duration {
	c := l.caller(key, now)
	if c == nil || len(c.made) < l.max {
		return 0
	}
	return min(max(c.made[len(c.made)-l.max].Add(RateWindow).Sub(now), 0), RateWindow)
}

// Count counts a call of a caller that need not wait.
func (l *RateCounter[K]) Count(key K, now time.Time) {
	for range sweep {
		if !l.quiet(now) {
			break
		}
		c := l.order.Remove(l.order.Front()).(*caller[K])
		delete(l.callers, c.key)
	}
	c := l.caller(key, now)
	if c == nil {
		c = &caller[K]{key: key}
		c.place = l.order.PushBack(c)
		l.callers[key] = c
	}
	c.forget(now)
	c.made = append(c.made, now)
	if c != l.others {
		l.order.MoveToBack(c.place)
	}
}

// caller returns the caller under which key counts, or nil if it has not called lately.
func (l *RateCounter[K]) caller(key K, now time.Time) *caller[K] {
	if c := l.callers[key]; c != nil || len(l.callers) < maxCallers || l.quiet(now) {
		return c
	}
	return l.others
}

// quiet reports whether the caller whose last call is the oldest can be forgotten.
func (l *RateCounter[K]) quiet(now time.Time) bool {
	first := l.order.Front()
	if first == nil {
		return false
	}
	made := first.Value.(*caller[K]).made
	return now.Sub(made[len(made)-1]) >= RateWindow
}

// forget drops the calls that no longer count.
func (c *caller[K]) forget(now time.Time) {
	old := 0
	for old < len(c.made) && now.Sub(c.made[old]) >= RateWindow {
		old++
	}
	if old == len(c.made) {
		c.made = c.made[:0] // keep the memory
		return
	}
	c.made = c.made[old:]
}
