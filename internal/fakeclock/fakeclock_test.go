package fakeclock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
)

func TestElapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		fakeclock.Elapse(time.Hour)
		if passed := time.Since(began); passed != time.Hour {
			t.Errorf("%v passed", passed)
		}
	})
}

// What is due in the instant at which Elapse ends is done, also if it takes a few
// goroutines one after another.
func TestElapseEndsAfterWhatIsDue(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			done := make(chan int, 1)
			fired := make(chan int)
			go func() { done <- <-fired }()
			time.AfterFunc(time.Hour, func() { fired <- 1 })
			fakeclock.Elapse(time.Hour)
			select {
			case <-done:
			default:
				t.Fatal("a timer of the same instant has not run")
			}
		})
	}
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, over := time.Now(), make(chan time.Time)
		go func() {
			fakeclock.Pause(time.Minute)
			over <- time.Now()
		}()
		if passed := (<-over).Sub(began); passed != time.Minute {
			t.Errorf("%v passed", passed)
		}
	})
}

func TestOutsideOfABubble(t *testing.T) {
	for name, wait := range map[string]func(time.Duration){"Elapse": fakeclock.Elapse, "Pause": fakeclock.Pause} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it did not panic")
				}
			}()
			wait(0)
		})
	}
}
