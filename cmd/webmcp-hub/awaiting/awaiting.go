// Package awaiting shows on a terminal that the hub waits for Chrome, and lets its log pass
// by that line. Where there is no terminal, only the log is written.
package awaiting

import (
	"context"
	"os"
	"sync"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/internal/progress"
)

// Chrome is what is awaited, on one terminal. Any goroutine may use it; a nil Chrome shows
// nothing.
type Chrome struct {
	out   *os.File
	quiet bool

	mu      sync.Mutex // guards what follows, and the order of what is written
	waiting int        // dialers that have not succeeded yet
	line    *progress.Line
	over    bool
}

// New shows what is awaited on out, unless that is no terminal or quiet is set.
func New(out *os.File, quiet bool) *Chrome { return &Chrome{out: out, quiet: quiet} }

// Write writes to the terminal; the line makes room for that.
func (c *Chrome) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Clear()
	return c.out.Write(p)
}

// Watch has the ways to browsers show when they are used, until they have led to one.
func (c *Chrome) Watch(one *actors.Reach, several []actors.Browser) {
	if c == nil {
		return
	}
	c.watch(one)
	for i := range several {
		c.watch(&several[i].Reach)
	}
}

func (c *Chrome) watch(r *actors.Reach) {
	for _, d := range []*actors.Dialer{&r.Dialer, &r.Launcher} {
		if *d != nil {
			*d = &dialer{Dialer: *d, shown: c}
		}
	}
}

// Close takes the line away for good.
func (c *Chrome) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.line.Done()
	c.line = nil
}

// wait notes that one dialer more, or less, waits.
func (c *Chrome) wait(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting += more
	switch {
	case c.waiting > 0 && c.line == nil && !c.over:
		c.line = progress.On(c.out, c.quiet)
		c.line.Say("waiting for Chrome")
	case c.waiting == 0:
		c.line.Done()
		c.line = nil
	}
}

// dialer is a way to a browser that shows when it is used. Its dials come one after the
// other.
type dialer struct {
	actors.Dialer
	shown *Chrome
	waits bool
}

func (d *dialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
	if !d.waits {
		d.waits = true
		d.shown.wait(1)
	}
	wire, err := d.Dialer.Dial(ctx)
	if err == nil || ctx.Err() != nil {
		d.waits = false
		d.shown.wait(-1)
	}
	return wire, err
}
