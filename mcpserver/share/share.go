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
	// patience is how long a process tries to reach an owner that holds the lock and doesn't answer. An owner that is
	// ending doesn't answer while its Chrome quits.
	patience = 15 * time.Second
	// standInAfter is the same for a process that serves its client meanwhile, because clients give a server about 10
	// s to start.
	standInAfter = 6 * time.Second
	// beat is how often an owner that has requests to answer must send something. After beats intervals of beat without
	// anything the owner counts as hanging.
	beat, beats = 3 * time.Second, 3
	// statePause is the shortest time between two states that are sent to a guest.
	statePause = 250 * time.Millisecond
	// maxView and maxState bound in bytes what owner and guest send each other.
	maxView, maxState = 16 << 10, 256 << 10
	// handshake is how long either side waits for the other's first line.
	handshake = 5 * time.Second
	// lookAgain is the first pause between two attempts, and lookAgainMax the longest.
	lookAgain, lookAgainMax = 10 * time.Millisecond, 200 * time.Millisecond
	// equalsFirst is how long a process lets those with the rules that the owner had become the owner first. They look
	// again after lookAgainMax at the latest.
	equalsFirst = 500 * time.Millisecond
	// grace is how long the end waits for the last answers to be passed on. A session's own grace period is a second.
	grace = 2 * time.Second
	// maxGuests is how many processes may join one owner.
	maxGuests = 100
	// defaultMaxLine is the default of Options.MaxLine.
	defaultMaxLine = 64 << 20
)

// Hub is what the owner runs. Any goroutine may call its methods.
type Hub interface {
	// ServeStdio serves one client until its input ends, and then returns nil, or until ctx ends. It returns soon
	// after, even if the client doesn't read.
	ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error
	// ServeGuest does the same for the client of another process.
	ServeGuest(ctx context.Context, g Guest, in io.Reader, out io.Writer) error
	// State returns what the process that takes this one's place needs to know, or nil. See [Owner].
	State() json.RawMessage
	// Files returns the files for guests to hold. They change together with what State returns. They remain the hub's,
	// which may close them at any time.
	Files() Files
	// Stop ends the hub. It also ends a Chrome that the hub started, unless held is true: then a guest holds the
	// Files, and the Chrome belongs to another owner. Stop is called once, after the last client was served.
	Stop(held bool)
}

// Guest is a client of another process.
type Guest struct {
	View    json.RawMessage        // see Options.View; nil for a [Visitor] without a view
	Changes <-chan json.RawMessage // see Options.Changes; never closed
	// Place is where the client stood in its session with the previous owner, as the previous hub reported it with
	// Moved. It is nil if there is none.
	Place json.RawMessage
	// Moved reports where the client stands now, for the next owner. The guest learns it before any message to the
	// client that is written later. Moved never blocks.
	Moved func(json.RawMessage)
}

// Owner is what a process gets when it comes to own the hub.
type Owner struct {
	// Previous is the state of the previous owner, if this process was its guest.
	Previous json.RawMessage
	// Files are the files of the previous owner, if this process was given some. Start owns them, even if it fails.
	Files Files
	// Place is where this process's client stands, as in Guest.Place.
	Place json.RawMessage
	// StateChanged sends the hub's state and its files to the guests soon. It never blocks, and any goroutine may call
	// it.
	StateChanged func()
}

// Server serves one client.
type Server interface {
	ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error
}

// Options say with whom a process shares its hub.
type Options struct {
	// Start starts the hub. It is called at most once, when this process has come to own one.
	Start func(Owner) (Hub, error)
	// StandIn makes the server for the client while another process has this Chrome and can't be joined. The server
	// says so in its answers; why returns the current reason. If StandIn is nil, such a process ends with a
	// [TakenError].
	StandIn func(why func() error) Server
	// Off keeps this process on its own: it joins nobody, and nobody joins it.
	Off bool
	// Key names the Chrome that the hub uses. Its text is passed to nobody.
	Key string
	// Settings are what must be the same in processes with the same key.
	Settings []Setting
	// Rules names those Settings that only restrict clients, in groups of those that depend on each other. A process
	// that sets none of a group may join an owner that does: the owner enforces them for its client, too.
	Rules [][]string
	// Version is the program's. Processes of different versions share a hub if all their settings that both know are
	// the same, and those that only one knows are off.
	Version string
	// View returns how this process's client sees the hub, for an owner in another process. It may be nil. The result
	// must be one line of JSON of at most 16 KiB.
	View func() json.RawMessage
	// Changes receives changes of the view, which the owner is told. It may be nil.
	Changes <-chan json.RawMessage
	// CheckView says what is wrong with the view of a guest, which the owner then refuses. If CheckView is nil, all
	// views are accepted.
	CheckView func(json.RawMessage) error
	// Joined, if not nil, is called when this process becomes a guest of another process's hub.
	Joined func()
	// OwnerOnly says why this process can't be a guest; it is empty if it can.
	OwnerOnly string
	// ManyHubs reports that more than one hub may use this Chrome. A process that can't share may then have a hub of
	// its own.
	ManyHubs bool
	// NoFiles keeps this process from holding an owner's files. Otherwise it holds them if the system can pass them,
	// which Windows can't.
	NoFiles bool

	MaxLine int          // longest message of a client in bytes; 0 means 64 MiB
	Logger  *slog.Logger // nil means that nothing is logged

	paths hubPaths               // set by takeRole
	place func() json.RawMessage // where the client stood, for the next owner; may be nil
	lacks []string               // the rules of the last owner that this process lacks, as in link
	tuning
}

// tuning holds options that tests set.
type tuning struct {
	dir      string        // the meeting point's folder; default [defaultDir]
	patience time.Duration // default [patience]
	beat     time.Duration // default [beat]
	wrap     func(net.Listener) net.Listener
	after    func(time.Duration) <-chan time.Time // default [time.After]
}

// Run serves the client at in and out until its input ends and, if this process owns the hub by then, all guests have
// gone. It also returns, without an error, when ctx ends. The error may be a [TakenError].
//
// If in is nil, there is no client except the guests', for whom Run goes on until ctx ends. Such a process must have
// Options.OwnerOnly.
//
// A read that can't be interrupted keeps one goroutine until it returns; close in to end it.
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
	if o.after == nil {
		o.after = time.After
	}
	s, err := o.takeRole(ctx)
	if ctx.Err() != nil {
		s.leave()
		return nil
	}
	taken := (*TakenError)(nil)
	if err != nil && (!errors.As(err, &taken) || !o.standsIn(in)) {
		return err
	}
	if s.guest != nil && o.Joined != nil {
		o.Joined()
	}
	if s.guest != nil || taken != nil {
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
		return nil // being told to stop is no error
	}
	return err
}

// standsIn reports whether a stand-in serves a client that can't have its hub.
func (o *Options) standsIn(in io.Reader) bool {
	return o.StandIn != nil && in != nil && o.OwnerOnly == ""
}

// takeRole returns this process's role. A process that can't share is on its own.
func (o *Options) takeRole(ctx context.Context) (role, error) {
	if o.Off {
		return role{}, nil
	}
	var err error
	if o.paths, err = newHubPaths(o.dir, o.Key); err == nil {
		var s role
		if s, err = o.paths.takeRole(ctx, o); err == nil {
			return s, nil
		}
	}
	if taken := (*TakenError)(nil); errors.As(err, &taken) && !o.ManyHubs {
		return role{}, err
	}
	if ctx.Err() == nil {
		o.Logger.Warn("this hub is not shared with other webmcp-hub processes", "why", err)
	}
	return role{}, nil
}
