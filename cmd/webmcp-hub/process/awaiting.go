package process

import (
	"context"
	"os"
	"sync"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/internal/terminal"
)

// AwaitedChrome shows on a terminal that Chrome is awaited. Its methods may be called from any goroutine.
type AwaitedChrome struct {
	out   *os.File
	quiet bool

	mu      sync.Mutex // guards the fields below, and the order of what is written
	waiting int        // ways that are being tried and have not led to a browser yet
	line    *terminal.Line
	over    bool
}

// AwaitChrome returns an AwaitedChrome that writes to out. It shows nothing if out is no terminal or quiet is set.
func AwaitChrome(out *os.File, quiet bool) *AwaitedChrome {
	return &AwaitedChrome{out: out, quiet: quiet}
}

// Write writes to the terminal; the line makes room for that.
func (c *AwaitedChrome) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Clear()
	return c.out.Write(p)
}

// Watch shows on the terminal when the ways to browsers are tried, until they have led to a browser or nobody tries
// any more. c may be nil.
func (c *AwaitedChrome) Watch(one *actors.ConnectOptions, several []actors.BrowserOptions) {
	if c == nil {
		return
	}
	c.watch(one)
	for i := range several {
		c.watch(&several[i].ConnectOptions)
	}
}

func (c *AwaitedChrome) watch(r *actors.ConnectOptions) {
	w := &way{shown: c, again: !r.Lazy && !r.OnNeed}
	for _, d := range []*actors.Dialer{&r.Dialer, &r.Launcher} {
		if *d != nil {
			*d = dialer{*d, w}
		}
	}
}

// Close removes the line for good.
func (c *AwaitedChrome) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.line.Done()
	c.line = nil
}

// show shows or removes the line. The caller holds mu.
func (c *AwaitedChrome) show() {
	switch {
	case c.waiting > 0 && c.line == nil && !c.over:
		c.line = terminal.On(c.out, c.quiet)
		c.line.Say("waiting for Chrome")
	case c.waiting == 0:
		c.line.Done()
		c.line = nil
	}
}

// way leads to one browser: by its Dialer, or by its Launcher if the Dialer finds none. It dials one at a time.
type way struct {
	shown  *AwaitedChrome
	again  bool        // a failed dial is followed by another one automatically
	forget func() bool // detaches the last dial from the end of its context; nil before the first dial
	waits  bool        // guarded by shown.mu
}

// wait notes whether somebody waits for the browser.
func (w *way) wait(is bool) {
	c := w.shown
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case is && !w.waits:
		c.waiting++
	case !is && w.waits:
		c.waiting--
	}
	w.waits = is
	c.show()
}

// dialer is one of a way's dialers. It shows when it is used.
type dialer struct {
	actors.Dialer
	way *way
}

func (d dialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
	w := d.way
	if w.forget != nil {
		w.forget()
	}
	w.wait(true)
	wire, err := d.Dialer.Dial(ctx)
	if err == nil || ctx.Err() != nil || !w.again {
		w.wait(false)
	} else { // until the next dial, or until the hub lets go of the browser
		w.forget = context.AfterFunc(ctx, func() { w.wait(false) })
	}
	return wire, err
}
