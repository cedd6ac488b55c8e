package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var errInterrupted = errors.New("interrupted")

// untilSignal is for commands that start a Chrome on a profile of their own: Ctrl-C
// and SIGTERM end its context, with [errInterrupted] as the cause, instead of the
// process, which then puts everything away.
func untilSignal(limit time.Duration) (context.Context, context.CancelFunc) {
	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	interrupted, end := context.WithCancelCause(context.Background())
	forget := context.AfterFunc(signals, func() { end(errInterrupted) })
	ctx, cancel := context.WithTimeout(interrupted, limit)
	return ctx, func() {
		forget()
		cancel()
		end(nil)
		stop()
	}
}
