package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/registry"
)

// registryActor serialises everything that pages report onto the MCP server.
type registryActor struct {
	hub   *Hub
	state *registry.State
	flush *time.Timer // the running flush interval, or nil
}

func newRegistryActor(h *Hub) *registryActor {
	return &registryActor{hub: h, state: registry.NewState(h.options.Registry)}
}

func (a *registryActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case registry.Event:
		a.step(ctx, m)
	case *actor.Stopping:
		if a.flush != nil {
			a.flush.Stop()
		}
	}
}

func (a *registryActor) step(ctx actor.Context, e registry.Event) {
	effects := a.state.Step(e)
	if len(effects) == 0 {
		return
	}
	// First, so that a publisher that panics doesn't stop all later flushes.
	if slices.Contains(effects, registry.Effect(registry.ArmFlush{})) {
		self, root := ctx.Self(), a.hub.root
		a.flush = time.AfterFunc(a.hub.options.NotifyInterval, func() { root.Send(self, registry.FlushDue{}) })
	}
	a.hub.options.Publisher.Apply(effects)
	for _, e := range effects {
		if r, ok := e.(registry.Refuse); ok {
			a.hub.log.Warn("a page's tool was refused", "page", r.Page, "tool", r.Tool, "why", r.Why)
		}
	}
}
