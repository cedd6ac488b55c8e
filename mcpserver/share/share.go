package share

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"time"
)

const (
	// patience is how long one looks for an owner that holds the lock and does
	// not answer. An owner that ends does so too while its Chrome quits.
	patience = 15 * time.Second
	// standInAfter is the same where the client is served meanwhile: clients
	// give a server some 10 s to start.
	standInAfter = 6 * time.Second
	// beat is how often an owner that has requests to answer must be heard of,
	// and beats how often it may fail to before it counts as hanging.
	beat, beats = 3 * time.Second, 3
	// willPause is the shortest time between two wills that a guest is told.
	willPause = 250 * time.Millisecond
	// maxView and maxWill bound what owner and guest tell each other, in bytes.
	maxView, maxWill = 16 << 10, 256 << 10
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
	// ServeGuest does so for the client of another process.
	ServeGuest(ctx context.Context, g Guest, in io.Reader, out io.Writer) error
	// Will is what the process that takes this one's place needs to know; nil is
	// nothing. See [Owner].
	Will() json.RawMessage
	// Files are what guests are given to hold, and change with what Will says.
	// They stay the hub's, which may close them at any time.
	Files() Files
	// Stop ends the hub, with a Chrome that it started unless a guest holds the
	// Files, which is another owner's then. It's called once, after the last
	// client was served.
	Stop(held bool)
}

// Guest is a client of another process.
type Guest struct {
	View    json.RawMessage        // see Options.View; nil for a [Visitor]
	Changes <-chan json.RawMessage // see Options.Changes; never closed
	// Place is where the client stood in the session with the owner before, as
	// that one's hub said by Moved; nil if there is none.
	Place json.RawMessage
	// Moved has the guest told where its client stands now, for the next owner, before
	// any message to that client that is written after. It never blocks.
	Moved func(json.RawMessage)
}

// Owner is what a process is told that has come to own the hub.
type Owner struct {
	// Inherited is the will of the owner before, if this process was its guest.
	Inherited json.RawMessage
	// Files are those of the owner before, if this process was given some. Start
	// owns them, whether it fails or not.
	Files Files
	// Place is where this process's client stands, as Guest.Place.
	Place json.RawMessage
	// WillChanged has the guests told soon of the hub's will, and given its files.
	// It never blocks and may be called from any goroutine.
	WillChanged func()
}

// Server serves one client.
type Server interface {
	ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error
}

// Options say whom a process shares its hub with.
type Options struct {
	// Start starts the hub. It's called at most once, when this process has
	// come to own one.
	Start func(Owner) (Hub, error)
	// StandIn makes what serves the client while another process has this
	// Chrome and can't be joined: it says so in its answers. why is the reason at that
	// time. Without one such a process ends with a [TakenError].
	StandIn func(why func() error) Server
	// Off keeps this process on its own: it joins nobody and nobody joins it.
	Off bool
	// Key names the Chrome that the hub reaches. Its text goes nowhere.
	Key string
	// Settings are what must be the same for processes with the same key.
	Settings []Setting
	// View says how this process's client sees the hub, for an owner that is
	// another process. It may be nil, and must be a line of JSON of 16 KiB at most.
	View func() json.RawMessage
	// Changes are changes of that, which the owner is told; may be nil.
	Changes <-chan json.RawMessage
	// CheckView says what is wrong with the view of a guest, whom the owner then
	// refuses; nil accepts all.
	CheckView func(json.RawMessage) error
	// Joined, if not nil, is called when this process becomes a guest of another one's hub.
	Joined func()
	// OwnerOnly says why this process can't be a guest; empty if it can.
	OwnerOnly string
	// Several says that more than one hub may reach this Chrome, so that a
	// process that can't share may have its own.
	Several bool
	// NoFiles has this process hold no files of an owner's. Otherwise it does
	// where the system can pass them, which is not on Windows.
	NoFiles bool

	MaxLine int          // bytes of a client's message; default 64 MiB
	Logger  *slog.Logger // default: nothing is logged

	place func() json.RawMessage // where the client stood, for the next owner; may be nil
	tuning
}

// tuning is what tests set.
type tuning struct {
	dir      string        // the place's folder; default [defaultDir]
	patience time.Duration // default [patience]
	beat     time.Duration // default [beat]
	wrap     func(net.Listener) net.Listener
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
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.patience == 0 {
		o.patience = patience
		if o.StandIn != nil {
			o.patience = standInAfter
		}
	}
	o.beat = cmp.Or(o.beat, beat)
	s, err := o.sit(ctx)
	if ctx.Err() != nil {
		s.leave()
		return nil
	}
	taken := (*TakenError)(nil)
	if err != nil && (!errors.As(err, &taken) || !o.standsIn(in)) {
		return err
	}
	if s.conn != nil && o.Joined != nil {
		o.Joined()
	}
	if s.conn != nil || taken != nil {
		return newRelay(o, out).run(ctx, s, taken, in)
	}
	h, err := openHost(ctx, o, s, Owner{})
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

// standsIn says whether a client is served that can't have its hub.
func (o *Options) standsIn(in io.Reader) bool {
	return o.StandIn != nil && in != nil && o.OwnerOnly == ""
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
