// Package fakeclock lets the fake time of a testing/synctest bubble pass. It is
// for tests only, and the only place in which they may call time.Sleep.
package fakeclock

import (
	"testing/synctest"

	"time"
)

// A bubble's clock begins with the year 2000, whatever the year is outside.
var outside = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// Elapse returns when d of the bubble's time has passed and everything that was due by then is done: timers of that
// instant have run, and the bubble's goroutines wait again. It takes no real time of its own. Only the test's own
// goroutine may call it, because it ends with synctest.Wait; other goroutines call Pause. Outside a bubble it would
// really wait, so it panics.
func Elapse(d time.Duration) {
	Pause(d)
	synctest.Wait()
}

// Pause returns when d of the bubble's time has passed, before or after anything else that is due in that instant. It
// is for goroutines other than the test's own, such as a fake that takes its time. Any of them may call it. Outside a
// bubble it panics.
func Pause(d time.Duration) {
	if time.Now().After(outside) {
		panic("fakeclock outside of a synctest bubble would wait for real: wait for an event instead, or run the " +
			"test in a bubble")
	}
	time.Sleep(d)
}
