package extlink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A port that is taken is tried again and again, and no other error is.
func TestAwait(t *testing.T) {
	taken := fmt.Errorf("port 1 can't be opened: %w", syscall.EADDRINUSE)
	for name, last := range map[string]error{"it is free then": nil, "it can't be opened then": errors.New("no")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, tries := time.Now(), 0
				want := &net.TCPListener{}
				got, err := await(t.Context(), func() (net.Listener, error) {
					if tries++; tries < 100 {
						return nil, taken
					}
					return want, last
				})
				if got != want || err != last || time.Since(begun) != 100*RetryInterval || tries != 100 {
					t.Errorf("%v, %v after %v and %d tries", got, err, time.Since(begun), tries)
				}
			})
		})
	}
	t.Run("it ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*RetryInterval+1)
			defer cancel()
			tries := 0
			got, err := await(ctx, func() (net.Listener, error) { tries++; return nil, taken })
			if got != nil || err != nil || tries != 10 {
				t.Errorf("%v, %v after %d tries", got, err, tries)
			}
		})
	})
}

// The real system's error is the one that is tried again.
func TestAwaitAPort(t *testing.T) {
	l, err := listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := listen(l.Addr().(*net.TCPAddr).Port); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a taken port is %v", err)
	}
}
