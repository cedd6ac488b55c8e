package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/mcpserver/share"
)

// OwnedChrome is the Chrome that this process's hub has started, or has taken over from the process that owned the
// hub before. Processes that share the hub are given the ends of Chrome's debugging pipe. The zero value has taken over
// no Chrome, and shares none. All methods may be called from any goroutine.
type OwnedChrome struct {
	Shared  bool   // other processes may be given the ends
	Changed func() // called when Files has changed; must not block; may be nil

	mu      sync.Mutex
	wire    *OwnedWire // to the current Chrome; nil if there is none
	inherit *OwnedWire // the next dial returns this wire; may be nil
	reopen  []string   // see Opens
	held    bool       // another process goes on with this Chrome
}

// endsNote describes the ends of the pipe to the process that is given them.
type endsNote struct {
	PID    int `json:"pid"` // Chrome's process id
	Owners int `json:"owners"`
}

// sound reports whether n can describe a Chrome. A process group is killed by its number, and 0 and 1 would mean more
// than one group.
func (n endsNote) sound() bool { return n.PID > 1 && n.Owners > 0 && n.Owners < 1<<30 }

// TakeOver goes on with the Chrome whose ends files holds, if it holds any. hold reserves the profile. A Chrome that
// doesn't answer is killed after 15 s. If TakeOver returns false, the ends are closed, and the Chrome that they led
// to has been ended.
func (o *OwnedChrome) TakeOver(ctx context.Context, files share.Files, profile string, hold Hold,
	log *slog.Logger) (taken bool) {
	var note endsNote
	if len(files.Open) != 2 || json.Unmarshal(files.Note, &note) != nil || !note.sound() {
		files.Close()
		return false
	}
	c, err := launch.Adopt(ctx, launch.Ends{From: files.Open[0], To: files.Open[1], PID: note.PID, Owners: note.Owners},
		profile, log)
	if err != nil {
		log.Warn("the previous hub's Chrome can't be taken over", "err", err)
		return false
	}
	log.Info("took over the previous hub's Chrome", "version", c.Version.Product, "profile", profile)
	release := heldAgain(ctx, profile, hold, log)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inherit = NewOwnedWire(c, release, o)
	return true
}

// Hold keeps other processes from starting a Chrome on a profile, until release is called.
type Hold func(ctx context.Context, profile string) (release func(), err error)

// heldAgain holds the profile of a Chrome that is running. It retries for 2 s, because the previous owner may still
// be ending.
func heldAgain(ctx context.Context, profile string, hold Hold, log *slog.Logger) (release func()) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for {
		release, err := hold(ctx, profile)
		if err == nil {
			return release
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			log.Warn("the profile is held by another process", "err", err)
			return func() {}
		}
	}
}

// TakenOver reports whether the next dial returns a Chrome that was taken over.
func (o *OwnedChrome) TakenOver() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.inherit != nil
}

// Dialer returns a dialer that returns the Chrome that was taken over first, if there is one, and then dials by d.
func (o *OwnedChrome) Dialer(d actors.Dialer) actors.Dialer {
	return DialFunc(func(ctx context.Context) (cdpclient.Wire, error) {
		o.mu.Lock()
		w := o.inherit
		o.inherit = nil
		o.mu.Unlock()
		if w == nil {
			return d.Dial(ctx)
		}
		o.Is(w)
		return w, nil
	})
}

// First returns the addresses that the next Chrome opens at its start, and forgets them. nil means those of the
// flags.
func (o *OwnedChrome) First() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.reopen
	o.reopen = nil
	return first
}

// Opens makes the next Chrome that is started open these addresses.
func (o *OwnedChrome) Opens(first []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reopen = first
}

// Outlives reports whether a Chrome that this process starts may live on when the process ends.
func (o *OwnedChrome) Outlives() bool { return o.Shared }

// Is notes the current Chrome; nil means none.
func (o *OwnedChrome) Is(w *OwnedWire) {
	o.mu.Lock()
	o.wire = w
	o.mu.Unlock()
	if o.Changed != nil {
		o.Changed()
	}
}

// Files returns the ends for other processes.
func (o *OwnedChrome) Files() share.Files {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wire == nil || !o.Shared {
		return share.Files{}
	}
	ends := o.wire.chrome.Ends()
	note, err := json.Marshal(endsNote{ends.PID, ends.Owners})
	if err != nil { // an endsNote can always be encoded
		return share.Files{}
	}
	return share.Files{Note: note, Open: []*os.File{ends.From, ends.To}}
}

// Leave makes Chrome live on when the hub lets go of it, because another process holds its ends.
func (o *OwnedChrome) Leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = true
}

// Close closes what is left: a Chrome that was taken over but never dialled, and one whose hub did not stop in time.
// Afterwards nothing in this process reaches Chrome.
func (o *OwnedChrome) Close() {
	o.mu.Lock()
	left := []*OwnedWire{o.inherit, o.wire}
	o.inherit = nil
	o.mu.Unlock()
	for _, w := range left {
		if w != nil {
			_ = w.Close()
		}
	}
}

// DialFunc is a function as an [actors.Dialer].
type DialFunc func(ctx context.Context) (cdpclient.Wire, error)

// Dial calls the function.
func (d DialFunc) Dial(ctx context.Context) (cdpclient.Wire, error) { return d(ctx) }

// OwnedWire is the wire to a Chrome that ends with the wire, unless another process goes on with that Chrome.
type OwnedWire struct {
	cdpclient.Wire
	chrome  *launch.Chrome
	release func() // releases the profile
	own     *OwnedChrome
}

// NewOwnedWire returns the wire to c. Close of the wire calls release.
func NewOwnedWire(c *launch.Chrome, release func(), own *OwnedChrome) *OwnedWire {
	return &OwnedWire{c.Watched(), c, sync.OnceFunc(release), own}
}

// LastID is [launch.Chrome.LastID].
func (w *OwnedWire) LastID() uint64 { return w.chrome.LastID() }

// Close ends Chrome, or leaves it to the process that goes on with it. Close may be called more than once.
func (w *OwnedWire) Close() error {
	defer w.release()
	w.own.mu.Lock()
	held := w.own.held
	gone := w.own.wire == w
	w.own.mu.Unlock()
	if gone {
		w.own.Is(nil)
	}
	if held {
		return w.chrome.Leave()
	}
	return w.chrome.Close()
}
