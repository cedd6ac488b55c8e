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

func TestElapseOutsideOfABubble(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it did not panic")
		}
	}()
	fakeclock.Elapse(0)
}
