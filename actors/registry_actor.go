package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/internal/telling"
	"webmcphub/registry"
)

// registryActor serialises everything that pages report onto the MCP server.
type registryActor struct {
	hub   *Hub
	state *registry.State
	tell  telling.Teller

	deaf     bool // after a panic, until everything is told anew
	failures supervisor.Failures
}

func newRegistryActor(h *Hub) *registryActor {
	o := h.options
	return &registryActor{hub: h, state: registry.NewState(o.Registry), tell: telling.Teller{
		Publisher: o.Publisher, Interval: o.NotifyInterval, Settle: o.Settle, Log: h.log,
		Due: func(e registry.Event) { h.root.Send(h.registry, e) },
	}}
}

func (a *registryActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case tab.Report:
		m.Intake.Told()
		for _, e := range m.Events {
			a.step(registry.PageSaid{Page: m.Page, Epoch: m.Epoch, Event: e})
		}
	case registry.Event:
		a.step(m)
	case supervisor.Answered:
		m.Give()
	case supervisor.Retelling:
		if a.deaf { // the first supervisor to tell everything anew
			a.deaf = false
			a.tell.Arm()
		}
	case *actor.Stopping:
		a.tell.Stop()
	}
}

func (a *registryActor) step(e registry.Event) {
	if a.deaf && !fromStore(e) { // nobody would tell that again
		return
	}
	effects := a.state.Step(e)
	if between := a.hub.options.Probe.Between; between != nil {
		between(effects)
	}
	a.tell.Tell(effects)
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
	case supervisor.Answered:
		m.Give()
	}
	a.tell.Stop()
	a.state = a.state.Recover(a.tell.Served())
	a.deaf = true
	if a.failures.TooMany() {
		a.hub.giveUp("the list of tools")
		return
	}
	if e, ok := message.(registry.Event); ok && fromStore(e) {
		a.step(e)
	}
	for _, pid := range a.hub.tellers() {
		a.hub.root.Send(pid, supervisor.RegistryFailed{})
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
