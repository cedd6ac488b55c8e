package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrInterrupted is the cause of a context that a signal ended, see [UntilSignal].
var ErrInterrupted = errors.New("interrupted")

// interrupted says that a signal has ended a context of [UntilSignal].
var interrupted atomic.Bool

// Interrupted reports whether a signal has ended a context of [UntilSignal]. Errors that come after that are its
// consequences: the program says that it was interrupted, and nothing else.
func Interrupted() bool { return interrupted.Load() }

// twice is how long one Ctrl-C may be delivered again: npx passes on what the terminal sends the command, too.
const twice = time.Second

// UntilSignal returns a context for a command. Ctrl-C and SIGTERM end the context, with [ErrInterrupted] as the cause,
// but not the process, so the command can clean up. A signal that comes a second later ends the process.
func UntilSignal(limit time.Duration) (context.Context, context.CancelFunc) {
	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	until, end := context.WithCancelCause(context.Background())
	forget := context.AfterFunc(signals, func() {
		if end(ErrInterrupted); context.Cause(until) == ErrInterrupted {
			interrupted.Store(true)
		}
		time.AfterFunc(twice, stop)
	})
	ctx, cancel := context.WithTimeout(until, limit)
	return ctx, func() {
		forget()
		cancel()
		end(nil)
		stop()
	}
}
