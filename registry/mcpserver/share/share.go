package share

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"
)

const (
	// patience is how long one looks for an owner that holds the lock and does
	// not answer. An owner that ends does so too while its Chrome quits.
	patience = 15 * time.Second
	// handshake is how long either side waits for the other's first line.
	handshake = 5 * time.Second
	// lookAgain is the pause between two looks, for the first time and at most.
	lookAgain, lookAgainMax = 10 * time.Millisecond, 200 * time.Millisecond
	// grace is how long the end waits for the last answers to be passed on. The
	// session's own is a second.
	grace = 2 * time.Second
	// maxGuests is how many processes may join one owner.
	maxGuests = 100
	// defaultMaxLine is Options.MaxLine where it isn't given.
	defaultMaxLine = 64 << 20
)

// Hub is what the owner runs. Its methods may be called from any goroutine.
type Hub interface {
	// ServeStdio serves one client until its input ends, which returns nil, or
	// ctx does. It returns soon after, even if the client doesn't read.
	ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error
	// Stop ends the hub, with a Chrome that it started. It's called once,
	// after the last ServeStdio.
	Stop()
}

// Options say whom a process shares its hub with.
type Options struct {
	// Start starts the hub. It's called at most once, when this process has
	// come to own one.
	Start func() (Hub, error)
	// Off keeps this process on its own: it joins nobody and nobody joins it.
	Off bool
	// Key names the Chrome that the hub reaches. Its text goes nowhere.
	Key string
	// Settings are what must be the same for processes with the same key.
	Settings []Setting
	// OwnerOnly says why this process can't be a guest; empty if it can.
	OwnerOnly string
	// Several says that more than one hub may reach this Chrome, so that a
	// process that can't share may have its own.
	Several bool

	MaxLine int          // bytes of a client's message; default 64 MiB
	Logger  *slog.Logger // default: nothing is logged

	// For tests:
	dir      string        // the place's folder; default [defaultDir]
	patience time.Duration // default [patience]
}

// Run serves the client at in and out until its input ends and, if this
// process owns the hub by then, all guests have gone; or until ctx ends, which is
// no error. The error may be a [TakenError].
//
// Without in there is no client but the guests', for whom Run goes on until ctx
// ends; such a process must have Options.OwnerOnly.
//
// A read that can't be interrupted keeps one goroutine until it returns:
// close in to end it.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	if o.MaxLine <= 0 {
		o.MaxLine = defaultMaxLine
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.patience == 0 {
		o.patience = patience
	}
	s, err := o.sit(ctx)
	if ctx.Err() != nil {
		s.leave()
		return nil
	}
	if err != nil {
		return err
	}
	if s.conn != nil {
		return newRelay(o, out).run(ctx, s, in)
	}
	h, err := openHost(ctx, o, s)
	if err != nil {
		return err
	}
	if in == nil {
		<-ctx.Done()
	} else {
		err = h.hub.ServeStdio(h.ctx, in, out)
	}
	h.close(ctx)
	if ctx.Err() != nil {
		return nil // being told to stop is a good reason
	}
	return err
}

// sit finds this process's seat; one on its own where it can't share.
func (o *Options) sit(ctx context.Context) (seat, error) {
	if o.Off {
		return seat{}, nil
	}
	p, err := newPlace(o.dir, o.Key)
	if err == nil {
		var s seat
		if s, err = p.sit(ctx, o); err == nil {
			return s, nil
		}
	}
	if taken := (*TakenError)(nil); errors.As(err, &taken) && !o.Several {
		return seat{}, err
	}
	if ctx.Err() == nil {
		o.Logger.Warn("this hub is not shared with other webmcp-hub processes", "why", err)
	}
	return seat{}, nil
}
