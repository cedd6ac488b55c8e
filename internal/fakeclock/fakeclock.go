// Package fakeclock lets the fake time of a testing/synctest bubble pass. It is
// for tests only, and the only place in which they may call time.Sleep.
package fakeclock

import "time"

// A bubble's clock begins with the year 2000, whatever the year is outside.
var outside = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// Elapse returns when d of the bubble's time has passed, which takes no real
// time: the clock moves on as soon as all of the bubble's goroutines wait. Any
// of them may call it. Outside of a bubble, where it would wait, it panics.
func Elapse(d time.Duration) {
	if time.Now().After(outside) {
		panic("fakeclock.Elapse outside of a synctest bubble would wait for real: wait for an event instead, or run the test in a bubble")
	}
	time.Sleep(d)
}
