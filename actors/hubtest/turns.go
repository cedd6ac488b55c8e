package hubtest

import (
	"slices"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/registry"
)

// turns lets tests run code in the turns of a hub's actors.
type turns struct {
	mu   sync.Mutex
	root *actor.RootContext
	tabs map[registry.PageID]*tab.Address // addresses of the tabs' actors
}

// action is what a test makes a tab's actor do in its turn.
type action struct{ do func(*tab.Tab) }

// middleware records actors as they start, and carries out actions.
func (ts *turns) middleware(next actor.ReceiverFunc) actor.ReceiverFunc {
	return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
		t, isTab := c.Actor().(*tab.Tab)
		switch m := env.Message.(type) {
		case action:
			m.do(t)
			return
		case *actor.Started:
			ts.mu.Lock()
			ts.root = c.ActorSystem().Root
			if isTab {
				ts.tabs[t.ID] = t.To()
			}
			ts.mu.Unlock()
		case *actor.Stopped:
			ts.mu.Lock()
			if isTab && ts.tabs[t.ID] == t.To() {
				delete(ts.tabs, t.ID)
			}
			ts.mu.Unlock()
		}
		next(c, env)
	}
}

// Address returns the address of the page's actor.
func (h *TestHub) Address(page registry.PageID) *tab.Address {
	h.T.Helper()
	h.turns.mu.Lock()
	defer h.turns.mu.Unlock()
	to := h.turns.tabs[page]
	if to == nil {
		h.T.Fatal("the page has no actor")
	}
	return to
}

// send puts a message into an actor's mailbox.
func (h *TestHub) send(to *actor.PID, message any) {
	h.turns.mu.Lock()
	root := h.turns.root
	h.turns.mu.Unlock()
	root.Send(to, message)
}

// TellTab, TellSupervisor and TellRegistry send a message to the page's actor, to the actor that owns it, and to the
// registry actor.
func (h *TestHub) TellTab(page registry.PageID, message any) {
	h.T.Helper()
	h.send(h.Address(page).PID, message)
}

func (h *TestHub) TellSupervisor(page registry.PageID, message any) {
	h.T.Helper()
	h.send(h.Address(page).Supervisor, message)
}

func (h *TestHub) TellRegistry(message any) { h.tellNamed("registry", message) }

// TellChrome and TellExtensions send a message to the supervisors of Chrome's and of the extensions' tabs.
func (h *TestHub) TellChrome(message any)     { h.tellNamed("browser", message) }
func (h *TestHub) TellExtensions(message any) { h.tellNamed("extBrowsers", message) }

func (h *TestHub) tellNamed(name string, message any) {
	h.turns.mu.Lock()
	system := h.turns.root.ActorSystem()
	h.turns.mu.Unlock()
	h.send(system.NewLocalPID(name), message)
}

// InActor runs f in the turn of the page's actor. It doesn't wait for that.
func (h *TestHub) InActor(p *cdptest.Page, f func(*tab.Tab)) {
	h.T.Helper()
	h.TellTab(registry.PageID(p.ID()), action{f})
}

// Alive says whether the actor still exists.
func (h *TestHub) Alive(to *tab.Address) bool {
	h.turns.mu.Lock()
	defer h.turns.mu.Unlock()
	_, alive := h.turns.root.ActorSystem().ProcessRegistry.Get(to.PID)
	return alive
}

// Session returns the hub's newest session with the page.
func (h *TestHub) Session(p *cdptest.Page) cdpclient.SessionID {
	h.T.Helper()
	for _, c := range slices.Backward(p.Commands()) {
		if c.Method == "Page.enable" {
			return c.Session
		}
	}
	h.T.Fatal("the hub has no session with the page")
	return ""
}
