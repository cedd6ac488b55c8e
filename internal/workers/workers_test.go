package workers

import (
	"testing"
	"testing/synctest"
)

// TestPool: jobs run side by side, some goroutines stay for more, and all end.
func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, hold := make(chan struct{}), make(chan struct{})
		p := New(2, ended)
		began := make(chan struct{}, 4)
		for range 4 {
			if p.Run(func() { began <- struct{}{}; <-hold }) {
				t.Error("a goroutine was there before the first job")
			}
		}
		for range 4 {
			<-began // none waits for another
		}
		close(hold)
		synctest.Wait()
		if n := p.idle.Load(); n != 2 {
			t.Errorf("%d goroutines stay", n)
		}
		done := make(chan struct{})
		if !p.Run(func() { close(done) }) {
			t.Error("none of those that stay has the next job")
		}
		<-done
		close(ended) // the bubble waits for the goroutines
	})
}
