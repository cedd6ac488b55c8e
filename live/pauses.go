package live

import (
	"fmt"
	"maps"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/mcpserver"
	"webmcphub/registry/mcpserver/calls"
)

// paused are the clients and tabs that the user has paused. It is never changed.
type paused struct {
	sessions map[string]bool
	tabs     map[registry.TabID]bool
}

// standing is what is paused now.
func (s *Server) standing() paused {
	if now := s.pauses.Load(); now != nil {
		return *now
	}
	return paused{}
}

// pause changes what is paused, and returns when that holds, or says why it doesn't.
func (s *Server) pause(change func(*paused)) (problem string) {
	if !s.book.ask(func(b *book) {
		now := s.standing()
		change(&now)
		s.pauses.Store(&now)
		b.wake()
	}) {
		return ending
	}
	return ""
}

// forgetTabs forgets the pauses of tabs of which the book has forgotten that they were there.
// One that was closed lately may come back under its number, as when its browser was lost for
// a while, and is paused then. The owner of the book alone calls it.
func (s *Server) forgetTabs(b *book) {
	now := s.standing()
	all := len(now.tabs)
	for id := range now.tabs {
		if !b.state.Knows(id) {
			now.tab(id, false)
		}
	}
	if len(now.tabs) < all {
		s.pauses.Store(&now)
	}
}

// client and tab pause one, or let it go on.
func (p *paused) client(session string, on bool) { p.sessions = with(p.sessions, session, on) }

func (p *paused) tab(id registry.TabID, on bool) { p.tabs = with(p.tabs, id, on) }

// clients are those that are connected, and what is paused. Those that were paused and have
// gone are forgotten: their sessions don't come back.
func (s *Server) clients() ([]mcpserver.ClientState, paused) {
	now := s.standing() // first: who is paused later isn't gone because it wasn't there before
	all := s.hub.Clients()
	var gone []string
	for session := range now.sessions {
		if !slices.ContainsFunc(all, func(c mcpserver.ClientState) bool { return c.Session == session }) {
			gone = append(gone, session)
		}
	}
	if len(gone) > 0 {
		s.pause(func(p *paused) {
			for _, session := range gone {
				p.client(session, false)
			}
		})
	}
	return all, now
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
	now := s.pauses.Load()
	switch {
	case now == nil:
	case d.Session != "" && now.sessions[d.Session]:
		return "the user has paused this client on the hub's live page. Stop, and ask the user to let it go on"
	case d.Tab != 0 && now.tabs[d.Tab]:
		return fmt.Sprintf("the user has paused tab %d on the hub's live page. Leave it alone, and ask the user to let it go on", d.Tab)
	}
	return ""
}
