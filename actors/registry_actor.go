package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/internal/runner"
	"webmcphub/registry"
)

// registryActor applies what pages and browsers report to the registry's State, one event at a time, and carries out
// the effects on the MCP server.
type registryActor struct {
	hub   *Hub
	state *registry.State
	run   runner.Runner

	deaf     bool // true from a panic until a supervisor begins to report everything again
	failures supervisor.Failures
}

func newRegistryActor(h *Hub) *registryActor {
	o := h.options
	return &registryActor{hub: h, state: registry.NewState(o.Registry), run: runner.Runner{
		Publisher: o.Publisher, Interval: o.NotifyInterval, Settle: o.Settle, Log: h.log,
		Due: func(e registry.Event) { h.root.Send(h.registry, e) },
	}}
}

func (a *registryActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case tab.Report:
		m.FlowControl.Reported()
		for _, e := range m.Events {
			a.step(registry.PageEvent{Page: m.Page, Epoch: m.Epoch, Event: e})
		}
	case registry.Event:
		a.step(m)
	case supervisor.Answered:
		m.Give()
	case supervisor.Resync:
		if a.deaf { // the first supervisor begins to report everything again
			a.deaf = false
			a.run.Arm()
		}
	case *actor.Stopping:
		a.run.Stop()
	}
}

func (a *registryActor) step(e registry.Event) {
	if a.deaf && !fromStore(e) { // the supervisors and tabs will report other events again
		return
	}
	effects := a.state.Step(e)
	if between := a.hub.options.TestHooks.Between; between != nil {
		between(effects)
	}
	a.run.Run(effects)
}

// Failed goes on with a fresh state, because the panic may have left the old state half-changed. It asks the
// supervisors to report everything again. The fresh state begins from the last catalog that the publisher got. So
// clients also learn of changes that the old state had made but not published. Calls don't notice, and clients keep
// their list meanwhile. If the panic interrupted the publisher, it may have missed withdrawals; the next catalog
// doesn't have the withdrawn tools.
func (a *registryActor) Failed(ctx actor.Context, message any) {
	switch m := message.(type) {
	case *actor.Started: // nothing has been reported yet, and there may be nobody to report it again
		return
	case tab.Report:
		m.FlowControl.Reported()
	case supervisor.Answered:
		m.Give()
	}
	a.run.Stop()
	a.state = a.state.Recover(a.run.Served())
	a.deaf = true
	if a.failures.TooMany() {
		a.hub.giveUp("the list of tools")
		return
	}
	if e, ok := message.(registry.Event); ok && fromStore(e) {
		a.step(e)
	}
	for _, pid := range a.hub.supervisors() {
		a.hub.root.Send(pid, supervisor.RegistryFailed{})
	}
}

// fromStore says whether an event comes from a store: of cached tools, of accepted tools, or of the names of browsers.
// The supervisors and tabs that report everything to a fresh state know nothing of these.
func fromStore(e registry.Event) bool {
	switch e.(type) {
	case registry.CacheChanged, registry.PinsChanged, registry.BrowsersNamed:
		return true
	}
	return false
}
