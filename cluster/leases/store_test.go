package leases

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// mute is a backend that tells nothing.
type mute struct{}

func (mute) Run(ctx context.Context, _ func(Event)) { <-ctx.Done() }

func (mute) Commit(context.Context, Tx) (bool, int64, error) {
	return false, 0, errors.New("nothing is kept")
}

// A store that owes something which it can't do is closed after closeBound, and at once if it is closed already.
func TestClosedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Open(mute{}, Options{Name: "x"}, slog.New(slog.DiscardHandler))
		released := make(chan error, 1)
		go func() { released <- s.Release(t.Context(), "x", "n/b~1") }()
		synctest.Wait()
		for _, want := range []time.Duration{closeBound, 0} {
			begun := time.Now()
			if s.Close(); time.Since(begun) != want {
				t.Errorf("closing took %v, want %v", time.Since(begun), want)
			}
		}
		if err := <-released; !errors.Is(err, errClosed) {
			t.Errorf("the release ended with %v", err)
		}
	})
}
