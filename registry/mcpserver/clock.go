package mcpserver

import (
	"context"
	"sync"
	"time"
)

// clock is the time limit of one request. It stands still while the client is
// asked something on the page's behalf: people take their time. Any goroutine
// may use it; a nil clock has no limit.
type clock struct {
	over func() // called once the time is up

	mu    sync.Mutex
	timer *time.Timer
	since time.Time // when it went on
	left  time.Duration
	held  int // who has stopped it
	done  bool
}

// startClock has cancel called with a [TimeoutError] when the time is up; no
// limit gives nil.
func startClock(limit time.Duration, cancel context.CancelCauseFunc) *clock {
	if limit <= 0 {
		return nil
	}
	over := func() { cancel(TimeoutError{limit}) }
	return &clock{over: over, left: limit, since: time.Now(), timer: time.AfterFunc(limit, over)}
}

// hold stops the clock until release, which must be called once.
func (c *clock) hold() (release func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held++; c.held == 1 && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return c.release
}

func (c *clock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held--; c.held == 0 && !c.done {
		c.since = time.Now()
		c.timer = time.AfterFunc(max(c.left, 0), c.over)
	}
}

// stop ends the clock.
func (c *clock) stop() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	c.timer.Stop()
}
