package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// ErrInterrupted is the cause with which [UntilSignal] ends.
var ErrInterrupted = errors.New("interrupted")

// UntilSignal is for commands that start a Chrome on a profile of their own: Ctrl-C
// and SIGTERM end its context, with [ErrInterrupted] as the cause, instead of the
// process, which then puts everything away.
func UntilSignal(limit time.Duration) (context.Context, context.CancelFunc) {
	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	interrupted, end := context.WithCancelCause(context.Background())
	forget := context.AfterFunc(signals, func() { end(ErrInterrupted) })
	ctx, cancel := context.WithTimeout(interrupted, limit)
	return ctx, func() {
		forget()
		cancel()
		end(nil)
		stop()
	}
}
