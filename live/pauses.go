package live

import (
	"fmt"
	"maps"
	"sync/atomic"

	"webmcphub/registry"
	"webmcphub/registry/mcpserver/calls"
)

// pauses are the clients and tabs that the user has paused.
type pauses struct{ now atomic.Pointer[paused] }

// paused is never changed.
type paused struct {
	sessions map[string]bool
	tabs     map[registry.TabID]bool
}

func (p *pauses) get() paused {
	if now := p.now.Load(); now != nil {
		return *now
	}
	return paused{}
}

// client and tab pause one, or let it go on.
func (p *pauses) client(session string, on bool) {
	p.edit(func(n *paused) { n.sessions = with(n.sessions, session, on) })
}

func (p *pauses) tab(id registry.TabID, on bool) {
	p.edit(func(n *paused) { n.tabs = with(n.tabs, id, on) })
}

func (p *pauses) edit(change func(*paused)) {
	for {
		was := p.now.Load()
		n := p.get()
		change(&n)
		if p.now.CompareAndSwap(was, &n) {
			return
		}
	}
}

func with[K comparable](set map[K]bool, key K, on bool) map[K]bool {
	n := maps.Clone(set)
	if n == nil {
		n = map[K]bool{}
	}
	if delete(n, key); on {
		n[key] = true
	}
	return n
}

// Paused says why nothing may be done for a paused client, or with a paused tab; it is ""
// where nothing is paused.
func (s *Server) Paused(d calls.Deed) (why string) {
	now := s.pauses.now.Load()
	switch {
	case now == nil:
	case d.Session != "" && now.sessions[d.Session]:
		return "the user has paused this client on the hub's live page. Stop, and ask the user to let it go on"
	case d.Tab != 0 && now.tabs[d.Tab]:
		return fmt.Sprintf("the user has paused tab %d on the hub's live page. Leave it alone, and ask the user to let it go on", d.Tab)
	}
	return ""
}
