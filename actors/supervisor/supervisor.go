package supervisor

import (
	"context"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/registry"
)

// Hub has what the hub gives a supervisor. Any goroutine may call the functions.
type Hub struct {
	*tab.Env
	Browser string                              // the name of the supervisor's browser if there are several, else ""
	Spawn   func(*tab.Tab)                      // starts a tab's actor and makes the tab known to callers
	Forget  func(registry.PageID, *tab.Address) // makes that tab unknown to callers
	GiveUp  func(what string)                   // ends the hub because what, an actor, failed too often
}

// Supervisor is the part that all supervisors' actors have in common. The actor owns it, except Done and Self.
type Supervisor struct {
	Hub
	Self *actor.PID
	Log  *slog.Logger // adds the browser's name, if there are several browsers

	what     string // describes the actor, for GiveUp
	spawned  registry.Epoch
	failures Failures

	stopping bool
	awaited  map[any]bool // what must be over before the actor ends
	done     chan struct{}
}

// New returns the common part of an actor that will be spawned as self. what describes the actor.
func New(h Hub, self *actor.PID, what string) Supervisor {
	log := h.Env.Log
	if h.Browser != "" {
		log = log.With("browser", h.Browser)
	}
	return Supervisor{Hub: h, Self: self, Log: log, what: what, awaited: map[any]bool{}, done: make(chan struct{})}
}

// Tell sends an event to the registry.
func (k *Supervisor) Tell(e registry.Event) { k.Root.Send(k.Registry, e) }

// ToSelf sends a message to the actor itself. Any goroutine may call it.
func (k *Supervisor) ToSelf(m any) { k.Root.Send(k.Self, m) }

// Done returns a channel that is closed when the actor has ended.
func (k *Supervisor) Done() <-chan struct{} { return k.done }

// Stopping says whether Stop has been called.
func (k *Supervisor) Stopping() bool { return k.stopping }

// Stop ends the actor once everything that it awaits is over.
func (k *Supervisor) Stop() {
	k.stopping = true
	if len(k.awaited) == 0 {
		k.Root.Stop(k.Self) // takes effect after this message
	}
}

// Await makes the actor wait, before it ends, until what is over.
func (k *Supervisor) Await(what any) { k.awaited[what] = true }

// Awaits says whether the actor still waits for what.
func (k *Supervisor) Awaits(what any) bool { return k.awaited[what] }

// StopAwaiting makes the actor no longer await what, because it is over. what may be a [ConnectionClosed]. StopAwaiting
// may be called several times for the same what.
func (k *Supervisor) StopAwaiting(what any) {
	if c, ok := what.(ConnectionClosed); ok {
		what = c.closing
	}
	delete(k.awaited, what)
	if k.stopping {
		k.Stop()
	}
}

// CloseAfter calls close, in a goroutine of its own, once the hub has told the pages of these tabs which calls it
// gives up, or ReleaseTimeout has passed. The actor awaits that, and gets a [ConnectionClosed] afterwards.
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

// Ended closes Done. It is called for *actor.Stopped.
func (k *Supervisor) Ended() {
	select {
	case <-k.done:
	default:
		close(k.done)
	}
}

// Mend says whether the actor goes on after it has panicked while it handled message. If so, the caller must make up
// for what the message would have changed. If the actor is stopping, Mend calls stop to go on with that.
func (k *Supervisor) Mend(message any, stop func()) (goesOn bool) {
	switch m := message.(type) {
	case ConnectionClosed:
		k.StopAwaiting(m)
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
