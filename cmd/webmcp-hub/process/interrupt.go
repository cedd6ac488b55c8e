package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// ErrInterrupted is the cause of a context that a signal ended, see [UntilSignal].
var ErrInterrupted = errors.New("interrupted")

// UntilSignal returns a context for commands that start a Chrome on a profile of their own. Ctrl-C and SIGTERM end
// the context, with [ErrInterrupted] as the cause, but not the process, so the command can clean up.
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
