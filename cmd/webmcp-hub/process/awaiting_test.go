package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"webmcphub/actors"
	"webmcphub/cdpclient"
)

// dials fails until there is a browser.
type dials struct{ there bool }

func (d *dials) Dial(context.Context) (cdpclient.Wire, error) {
	if !d.there {
		return nil, errors.New("no browser")
	}
	return nil, nil
}

// TestWaits: each way counts as waiting from its first dial until it has led to a browser,
// and where there is no terminal nothing but the log is written.
func TestWaits(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := AwaitChrome(out, false)
	one, other := &dials{}, &dials{}
	reach, several := actors.ConnectOptions{Dialer: one}, []actors.BrowserOptions{{ConnectOptions: actors.ConnectOptions{Dialer: other}}}
	c.Watch(&reach, several)
	if reach.Launcher != nil {
		t.Error("there is a way to launch that wasn't there")
	}
	for n, step := range []struct {
		dial    actors.Dialer
		there   *dials
		ctx     context.Context
		waiting int
	}{
		{reach.Dialer, nil, t.Context(), 1}, {reach.Dialer, nil, t.Context(), 1}, {several[0].Dialer, nil, t.Context(), 2},
		{reach.Dialer, one, t.Context(), 1}, {several[0].Dialer, nil, ended(), 0}, {reach.Dialer, one, t.Context(), 0},
	} {
		if step.there != nil {
			step.there.there = true
		}
		_, _ = step.dial.Dial(step.ctx)
		if c.waiting != step.waiting {
			t.Errorf("step %d: %d wait, want %d", n, c.waiting, step.waiting)
		}
	}
	if _, err := c.Write([]byte("logged\n")); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if text, err := os.ReadFile(out.Name()); err != nil || string(text) != "logged\n" {
		t.Errorf("what isn't a terminal has %q (%v)", text, err)
	}
	(*AwaitedChrome)(nil).Watch(&reach, nil)
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// TestNobodyTries: what leads to no browser counts as waiting only while it is tried again by
// itself, and not once the same browser was reached another way, or was let go of.
func TestNobodyTries(t *testing.T) {
	for name, row := range map[string]struct {
		reach actors.ConnectOptions
		then  func(r *actors.ConnectOptions, letGo func())
		waits int
	}{
		"is tried again":      {actors.ConnectOptions{}, func(*actors.ConnectOptions, func()) {}, 1},
		"is tried on request": {actors.ConnectOptions{Lazy: true}, func(*actors.ConnectOptions, func()) {}, 0},
		"is tried on need":    {actors.ConnectOptions{OnNeed: true}, func(*actors.ConnectOptions, func()) {}, 0},
		"is started instead": {actors.ConnectOptions{Launcher: &dials{there: true}}, func(r *actors.ConnectOptions, _ func()) {
			_, _ = r.Launcher.Dial(context.Background())
		}, 0},
		"can't be started either": {actors.ConnectOptions{Launcher: &dials{}}, func(r *actors.ConnectOptions, _ func()) { _, _ = r.Launcher.Dial(context.Background()) }, 1},
		"is let go of":            {actors.ConnectOptions{}, func(_ *actors.ConnectOptions, letGo func()) { letGo() }, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := AwaitChrome(os.Stderr, true)
			defer c.Close()
			r := row.reach
			r.Dialer = &dials{}
			c.Watch(&r, nil)
			ctx, letGo := context.WithCancel(t.Context())
			defer letGo()
			_, _ = r.Dialer.Dial(ctx)
			row.then(&r, letGo)
			synctest.Wait()
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.waiting != row.waits {
				t.Errorf("a browser that %s: %d wait, want %d", name, c.waiting, row.waits)
			}
		})
	}
}
