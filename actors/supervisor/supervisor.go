package supervisor

import (
	"context"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/registry"
)

// Hub is what a supervisor is given of the hub. The functions may be called from any goroutine.
type Hub struct {
	*tab.Env
	Browser string                              // the name of the supervisor's browsers, where there are several, else ""
	Spawn   func(*tab.Tab)                      // starts a tab's actor, and lets callers find it
	Forget  func(registry.PageID, *tab.Address) // callers find that tab no longer
	GiveUp  func(what string)                   // ends the hub, since this failed too often
	Other   *actor.PID                          // the extension's supervisor, or for that the supervisor of the one browser; nil if that has names
}

// Supervisor is the part of a supervisor's actor that all have. It belongs to the actor, but
// for Done and Self.
type Supervisor struct {
	Hub
	Self *actor.PID
	Log  *slog.Logger // says which browser, where there are several

	what     string // what the actor is, for GiveUp
	spawned  registry.Epoch
	failures Failures

	stopping bool
	awaited  map[any]bool // what has to end before the actor does
	done     chan struct{}
}

// New makes the part of the actor that will be spawned as self.
func New(h Hub, self *actor.PID, what string) Supervisor {
	log := h.Env.Log
	if h.Browser != "" {
		log = log.With("browser", h.Browser)
	}
	return Supervisor{Hub: h, Self: self, Log: log, what: what, awaited: map[any]bool{}, done: make(chan struct{})}
}

// Tell tells the registry.
func (k *Supervisor) Tell(e registry.Event) { k.Root.Send(k.Registry, e) }

// ToSelf sends the actor a message. It may be called from any goroutine.
func (k *Supervisor) ToSelf(m any) { k.Root.Send(k.Self, m) }

// Done is closed when the actor has ended.
func (k *Supervisor) Done() <-chan struct{} { return k.done }

// Stopping says whether the actor ends as soon as it can.
func (k *Supervisor) Stopping() bool { return k.stopping }

// Stop ends the actor when all that is awaited is over.
func (k *Supervisor) Stop() {
	k.stopping = true
	if len(k.awaited) == 0 {
		k.Root.Stop(k.Self) // takes effect after this message
	}
}

// Await keeps the actor from ending until what is over.
func (k *Supervisor) Await(what any) { k.awaited[what] = true }

// Awaits says whether what is yet to be over.
func (k *Supervisor) Awaits(what any) bool { return k.awaited[what] }

// Over says that what was awaited is over, once or more. It may be a
// [ConnectionClosed].
func (k *Supervisor) Over(what any) {
	if c, ok := what.(ConnectionClosed); ok {
		what = c.closing
	}
	delete(k.awaited, what)
	if k.stopping {
		k.Stop()
	}
}

// CloseAfter closes a connection by close, in a goroutine of its own, once the pages of
// these tabs have heard that their calls are given up. The actor awaits that, and
// hears of it by [ConnectionClosed].
func (k *Supervisor) CloseAfter(tabs []*tab.Address, close func()) {
	closing := new(byte)
	k.Await(closing)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), tab.ReleaseTimeout)
		defer cancel()
		for _, to := range tabs {
			select {
			case <-to.Released():
			case <-ctx.Done():
			}
		}
		close()
		k.ToSelf(ConnectionClosed{closing})
	}()
}

// Ended is for *actor.Stopped.
func (k *Supervisor) Ended() {
	select {
	case <-k.done:
	default:
		close(k.done)
	}
}

// Mend says whether the actor goes on after it has panicked at message; then what
// the message would have changed is still to be made up for. If it was to stop, or
// is stopping, stop is called to go on with that.
func (k *Supervisor) Mend(message any, stop func()) (goesOn bool) {
	switch m := message.(type) {
	case ConnectionClosed:
		k.Over(m)
	case *actor.Stopping:
		return false
	case *actor.Stopped:
		k.Ended()
		return false
	}
	if _, toStop := message.(Stop); toStop || k.stopping {
		stop()
		return false
	}
	if k.failures.TooMany() {
		k.GiveUp(k.what)
		return false
	}
	return true
}
