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

// Chrome is the Chrome that this process's hub has started, or has taken over
// from the process that owned the hub before. Processes that share the hub are given
// the ends of its debugging pipe. Methods may be called from any goroutine.
type OwnedChrome struct {
	Shared  bool   // other processes may be given its ends
	Changed func() // told when Files are others; never blocks; may be nil

	mu      sync.Mutex
	wire    *OwnedWire // of the Chrome that there is, or nil
	inherit *OwnedWire // the next dial goes on with it; or nil
	reopen  []string   // see Opens
	held    bool       // another process goes on with it
}

// endsNote says to another process what the ends are that it is given.
type endsNote struct {
	PID    int `json:"pid"` // Chrome's
	Owners int `json:"owners"`
}

// sound says whether a Chrome can be meant. The processes of a group are killed by its
// number, and 0 and 1 stand for more than one group there.
func (n endsNote) sound() bool { return n.PID > 1 && n.Owners > 0 && n.Owners < 1<<30 }

// TakeOver goes on with the Chrome whose ends these are, if there are any; hold
// reserves its profile. A Chrome that doesn't answer is killed after 15 s. If TakeOver
// fails, the ends are closed and that Chrome was ended.
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

// Hold keeps other processes from starting a Chrome on a profile, until release.
type Hold func(ctx context.Context, profile string) (release func(), err error)

// heldAgain holds the profile of a Chrome that runs, whose owner before may still
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

// TakenOver says whether the next dial goes on with a Chrome that was taken over.
func (o *OwnedChrome) TakenOver() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.inherit != nil
}

// Dialer is d, but goes on first with the Chrome that was taken over.
func (o *OwnedChrome) Dialer(d actors.Dialer) actors.Dialer {
	if o == nil {
		return d
	}
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

// First are the addresses that a Chrome opens that is started now; nil are those
// of the flags.
func (o *OwnedChrome) First() []string {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.reopen
	o.reopen = nil
	return first
}

// Opens has these opened by the next Chrome that is started.
func (o *OwnedChrome) Opens(first []string) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reopen = first
}

// Outlives says whether a Chrome that is started may live on when this process ends.
func (o *OwnedChrome) Outlives() bool { return o != nil && o.Shared }

// Is says which Chrome there is; nil is none.
func (o *OwnedChrome) Is(w *OwnedWire) {
	if o == nil {
		return
	}
	o.mu.Lock()
	o.wire = w
	o.mu.Unlock()
	if o.Changed != nil {
		o.Changed()
	}
}

// Files are the ends that other processes are given.
func (o *OwnedChrome) Files() share.Files {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wire == nil || !o.Shared {
		return share.Files{}
	}
	ends := o.wire.chrome.Ends()
	note, err := json.Marshal(endsNote{ends.PID, ends.Owners})
	if err != nil { // it holds nothing that can't be encoded
		return share.Files{}
	}
	return share.Files{Note: note, Open: []*os.File{ends.From, ends.To}}
}

// Leave has Chrome live on when the hub lets go of it, as another process holds
// its ends.
func (o *OwnedChrome) Leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = true
}

// Close gives up what is left: a Chrome that was taken over and that no hub has
// dialled, and one whose hub did not stop in time. Afterwards nothing of this process
// reaches Chrome.
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

// Wire is the wire to a Chrome that ends with it, unless another process
// goes on with it.
type OwnedWire struct {
	cdpclient.Wire
	chrome  *launch.Chrome
	release func()       // of its profile
	own     *OwnedChrome // may be nil
}

// NewWire is the wire to c. Its Close calls release; own may be nil.
func NewOwnedWire(c *launch.Chrome, release func(), own *OwnedChrome) *OwnedWire {
	return &OwnedWire{c.Watched(), c, sync.OnceFunc(release), own}
}

// LastID is as [launch.Chrome.LastID].
func (w *OwnedWire) LastID() uint64 { return w.chrome.LastID() }

// Close ends Chrome, or leaves it to the process that goes on with it. It may be called
// more than once.
func (w *OwnedWire) Close() error {
	defer w.release()
	if w.own == nil {
		return w.chrome.Close()
	}
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
