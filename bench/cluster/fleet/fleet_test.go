package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient"
)

// A browser is reached by its own path, and says its own tools.
func TestBrowsersAreApart(t *testing.T) {
	f, err := Open(3, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	wire, err := cdpclient.DialWebSocket(t.Context(), f.Endpoint(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer wire.Close()
	if err := wire.Write([]byte(`{"id":1,"method":"Target.getTargets","params":{}}`)); err != nil {
		t.Fatal(err)
	}
	if msg, err := wire.Read(); err != nil || !strings.Contains(string(msg), Site) {
		t.Errorf("%s, %v", msg, err)
	}
	if _, err := cdpclient.DialWebSocket(t.Context(), strings.Replace(f.Endpoint(1), "/1/", "/9/", 1), nil); err == nil {
		t.Error("a browser that isn't there was reached")
	}
}

func TestStormsEndWithEveryTool(t *testing.T) {
	f, err := Open(2, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := f.Truth(0, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	changes, _ := f.Storm(ctx, []int{0}, 10_000)
	after := f.Truth(0, 1)
	moved := 0
	for own, v := range after {
		moved += v - before[own]
		if strings.HasPrefix(own, "k1_") && v != before[own] {
			t.Errorf("%s changed, whose browser was left alone", own)
		}
	}
	if changes == 0 || 2*moved != changes || len(after) != len(before) {
		t.Errorf("%d changes made %d versions, and %d tools of %d", changes, moved, len(after), len(before))
	}
}

func TestHoldsAreReleased(t *testing.T) {
	f, err := Open(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	hold, gone := f.execute(0, hold), make(chan error, 2)
	go func() { _, err := hold(t.Context(), json.RawMessage(`{}`)); gone <- err }()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { _, err := hold(ctx, json.RawMessage(`{}`)); gone <- err }()
	if err := f.AwaitHolding(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was cancelled ended by %v", err)
	}
	f.Release()
	if err := <-gone; err != nil {
		t.Error(err)
	}
	if err := f.AwaitHolding(ctx, 1); err == nil {
		t.Error("calls are held that have ended")
	}
}
