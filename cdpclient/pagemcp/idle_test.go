package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
)

func TestIdleWaitsUntilThePageWasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connected(t, Options{}, nil)
		deliver := p.client.send
		p.client.send = func(ctx context.Context, payload json.RawMessage) error {
			fakeclock.Pause(time.Second)
			return deliver(ctx, payload)
		}
		p.client.Idle(t.Context()) // nothing is under way
		ctx, cancel := context.WithCancel(t.Context())
		for range 3 {
			go func() { _, _ = p.callTool(ctx, "slow", nil, nil) }()
		}
		fakeclock.Elapse(time.Minute)
		cancel()
		start := time.Now()
		p.client.Idle(t.Context())
		if n := len(p.sentWith("notifications/cancelled")); n != 3 || time.Since(start) != time.Second {
			t.Errorf("the page was told %d times after %v", n, time.Since(start))
		}
	})
}

func TestIdleEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connected(t, Options{}, nil)
		go func() { _, _ = p.callTool(t.Context(), "slow", nil, nil) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		p.client.Idle(ctx)
		if time.Since(start) != time.Second {
			t.Errorf("it took %v", time.Since(start))
		}
		p.client.Close(nil)
		p.client.Idle(t.Context())
	})
}

// TestOnlyWhatWasSentIsCancelled: a request that ends before the page has heard of it is
// not cancelled there either.
func TestOnlyWhatWasSentIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connected(t, Options{}, nil)
		deliver := p.client.send
		ctx, cancel := context.WithCancel(t.Context())
		p.client.send = func(of context.Context, payload json.RawMessage) error {
			cancel() // as the payload is about to leave
			return deliver(of, payload)
		}
		if _, err := p.client.Request(ctx, "prompts/get", nil, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		p.client.Idle(t.Context())
		if calls, cancelled := p.sentWith("prompts/get"), p.sentWith("notifications/cancelled"); len(calls)+len(cancelled) > 0 {
			t.Errorf("the page was told of %d calls and of %d that were cancelled", len(calls), len(cancelled))
		}
	})
}
