package wire

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// TimeoutError is the cause with which a request's context ends when its time limit is over.
type TimeoutError struct{ After time.Duration }

func (e TimeoutError) Error() string { return fmt.Sprintf("the time limit of %s is over", e.After) }

// Timeout distinguishes it from other causes, as for the errors of package net.
func (e TimeoutError) Timeout() bool { return true }

// Clock is the time limit of one request. It stops while a client or a person has to answer a question, because people
// take their time. Any goroutine may use it. A nil Clock has no limit.
type Clock struct {
	over func() // called when the time is up

	mu    sync.Mutex
	timer *time.Timer
	since time.Time // when the clock last started
	left  time.Duration
	held  int // how many callers have stopped it
	done  bool
}

// StartClock starts a clock that calls cancel with a [TimeoutError] when the time is up. It returns nil if limit is 0
// or less.
func StartClock(limit time.Duration, cancel context.CancelCauseFunc) *Clock {
	if limit <= 0 {
		return nil
	}
	over := func() { cancel(TimeoutError{limit}) }
	return &Clock{over: over, left: limit, since: time.Now(), timer: time.AfterFunc(limit, over)}
}

// hold stops the clock until release is called. release must be called exactly once.
func (c *Clock) hold() (release func()) {
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

func (c *Clock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held--; c.held == 0 && !c.done {
		c.since = time.Now()
		c.timer = time.AfterFunc(max(c.left, 0), c.over)
	}
}

// Stop ends the clock for good.
func (c *Clock) Stop() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	c.timer.Stop()
}
