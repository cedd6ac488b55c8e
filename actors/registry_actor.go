package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/keeper"
	"webmcphub/actors/tab"
	"webmcphub/registry"
)

// registryActor serialises everything that pages report onto the MCP server.
type registryActor struct {
	hub   *Hub
	state *registry.State
	flush *time.Timer // the running flush interval, or nil

	// What the publisher was given last. The state may be ahead of it when something
	// panics between its step and the publisher's.
	served *registry.Catalog

	deaf     bool // after a panic, until everything is told anew
	failures keeper.Failures
}

// registrationWindow is the time in which registrations are counted, see
// [registry.Options.Registrations].
const registrationWindow = time.Minute

func newRegistryActor(h *Hub) *registryActor {
	return &registryActor{hub: h, state: registry.NewState(h.options.Registry), served: registry.EmptyCatalog()}
}

func (a *registryActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case tab.Report:
		m.Intake.Told()
		for _, e := range m.Events {
			a.step(ctx, registry.PageSaid{Page: m.Page, Epoch: m.Epoch, Event: e})
		}
	case registry.Event:
		a.step(ctx, m)
	case keeper.Answered:
		m.Give()
	case keeper.Retelling:
		if a.deaf { // the first keeper to tell everything anew
			a.deaf = false
			a.arm(ctx)
		}
	case *actor.Stopping:
		a.stopTimer()
	}
}

func (a *registryActor) step(ctx actor.Context, e registry.Event) {
	if a.deaf && !fromStore(e) { // nobody would tell that again
		return
	}
	effects := a.state.Step(e)
	if between := a.hub.options.Probe.Between; between != nil {
		between(effects)
	}
	if len(effects) == 0 {
		return
	}
	// First, so that a publisher that panics doesn't stop all later flushes.
	if slices.Contains(effects, registry.Effect(registry.ArmFlush{})) {
		a.arm(ctx)
	}
	self, root := ctx.Self(), a.hub.root
	for _, e := range effects {
		switch due := e.(type) {
		case registry.ArmSettle:
			time.AfterFunc(a.hub.options.Settle, func() { root.Send(self, registry.SettleDue(due)) })
		case registry.ArmRegistrations:
			time.AfterFunc(registrationWindow, func() { root.Send(self, registry.RegistrationsDue(due)) })
		}
	}
	a.hub.options.Publisher.Apply(effects)
	for _, e := range effects {
		if served, ok := e.(registry.Serve); ok {
			a.served = served.Catalog
		}
	}
	for _, e := range effects {
		if r, ok := e.(registry.Refuse); ok {
			a.hub.log.Warn("a page's tool was refused", "page", r.Page, "tool", r.Tool, "why", r.Why)
		}
	}
}

func (a *registryActor) stopTimer() {
	if a.flush != nil {
		a.flush.Stop()
	}
}

func (a *registryActor) arm(ctx actor.Context) {
	self, root := ctx.Self(), a.hub.root
	a.flush = time.AfterFunc(a.hub.options.NotifyInterval, func() { root.Send(self, registry.FlushDue{}) })
}

// Failed goes on with a fresh state, which the browser actor and the pages are
// asked to fill: what the old one was in the middle of is unknown. It goes on
// from what the publisher was given last, so that clients are told of what the
// old one had made of its events and never came to say. Calls don't notice, and clients keep their list meanwhile. Of what the publisher was at
// it may miss withdrawals; the catalog that it is given next has none of them.
func (a *registryActor) Failed(ctx actor.Context, message any) {
	switch m := message.(type) {
	case *actor.Started: // nothing has been told yet, and perhaps nobody is there to tell it anew
		return
	case tab.Report:
		m.Intake.Told()
	case keeper.Answered:
		m.Give()
	}
	a.stopTimer()
	a.state = a.state.Recover(a.served)
	a.deaf = true
	if a.failures.TooMany() {
		a.hub.giveUp("the list of tools")
		return
	}
	if e, ok := message.(registry.Event); ok && fromStore(e) {
		a.step(ctx, e)
	}
	for _, pid := range a.hub.tellers() {
		a.hub.root.Send(pid, keeper.RegistryFailed{})
	}
}

// fromStore says whether an event is that of a store: of cached tools, of accepted ones,
// or of the names of browsers. Keepers and tabs, which tell a fresh state everything, know nothing of them.
func fromStore(e registry.Event) bool {
	switch e.(type) {
	case registry.CacheChanged, registry.StandingChanged, registry.BrowsersNamed:
		return true
	}
	return false
}
