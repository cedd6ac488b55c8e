package extbrowser

import (
	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"
)

// replace replaces a tab's actor that failed.
func (a *Actor) replace(m tab.ActorFailed) {
	if l := a.browserOf(m.Page); l != nil {
		l.tabs.Replace(m, "its browser connects anew", func(t *supervisor.Tab[shown]) { a.open(l, t.Shown) })
	}
}

// resync reports everything again, because the registry actor has failed. Another supervisor may have sent a Resync.
func (a *Actor) resync() {
	a.Root.Send(a.Registry, supervisor.Resync{})
	if a.expected || a.away.lastStatus != "" || a.first(anyBrowser) != nil {
		a.tellStatus(a.away.lastStatus)
	}
	for _, l := range a.browsers {
		l.tabs.Resync()
	}
}

// Failed goes on after a panic of the actor itself. What the actor knows of the message's connection may be wrong now.
// So Failed closes the connection; the extension connects again and reports everything.
func (a *Actor) Failed(_ actor.Context, message any) {
	if o, ok := message.(*supervisor.Order); ok {
		o.Give(supervisor.Answer{Err: supervisor.ErrInternal})
	}
	if d, ok := message.(supervisor.Debug); ok {
		d.Give(supervisor.Debugged{}, supervisor.ErrInternal)
	}
	if !a.Mend(message, a.shutDown) {
		return
	}
	switch m := message.(type) {
	case Opened:
		_ = m.Wire.Close()
	case received:
		a.drop(m.of)
	case orderOverdue:
		a.drop(m.of)
	case attachOverdue:
		a.drop(m.of)
	case tab.ActorFailed:
		if l := a.browserOf(m.Page); l != nil && l.tabs.Get(m.Page).To == m.Of {
			a.drop(l)
		}
	case KeptOut, TurnedAway, supervisor.RegistryFailed:
		a.ToSelf(m)
	}
}

func (a *Actor) drop(l *connection) {
	a.disconnect(l, registry.EndedByFailure, extlink.CloseGoingAway, "an error of the hub")
}
