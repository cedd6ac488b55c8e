package live

import (
	"fmt"
	"maps"
	"slices"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// paused are the clients and tabs that the user has paused. It is never changed.
type paused struct {
	sessions map[string]bool
	tabs     map[registry.TabID]bool
	taken    map[*takeOver]registry.TabID // while a person operates them, for whom that was wanted
}

// takeOver is one time that a person takes a tab over. The same viewer may ask for it twice, and
// again as it ends, so each is told apart by its address: the end of one doesn't end another.
type takeOver struct{ _ byte } // not empty, as addresses of empty ones may be equal

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

func (p *paused) tab(id registry.TabID, on bool) {
	if p.tabs = with(p.tabs, id, on); !on {
		p.taken = maps.Clone(p.taken)
		maps.DeleteFunc(p.taken, func(_ *takeOver, other registry.TabID) bool { return other == id })
	}
}

// take pauses a tab while a person operates it, and give ends that.
func (p *paused) take(by *takeOver, id registry.TabID) {
	n := map[*takeOver]registry.TabID{by: id}
	maps.Copy(n, p.taken)
	p.taken = n
}

func (p *paused) give(by *takeOver) {
	p.taken = maps.Clone(p.taken)
	delete(p.taken, by)
}

// keeps says whether a tab is paused.
func (p paused) keeps(id registry.TabID) bool { return p.tabs[id] || p.operates(id) }

// operates says whether a person operates a tab that is paused for that long.
func (p paused) operates(id registry.TabID) bool {
	for _, taken := range p.taken {
		if taken == id {
			return true
		}
	}
	return false
}

// allTabs are those that are paused.
func (p paused) allTabs() map[registry.TabID]bool {
	all := p.tabs
	for _, id := range p.taken {
		all = with(all, id, true)
	}
	return all
}

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
func (s *Server) Paused(d calls.Action) (why string) {
	now := s.pauses.Load()
	switch {
	case now == nil:
	case d.Session != "" && now.sessions[d.Session]:
		return "the user has paused this client on the hub's live page. Stop, and ask the user to let it go on"
	case d.Tab != 0 && now.tabs[d.Tab]:
		return fmt.Sprintf("the user has paused tab %d on the hub's live page. Leave it alone, and ask the user to "+
			"let it go on", d.Tab)
	case d.Tab != 0 && now.operates(d.Tab):
		return fmt.Sprintf("the user operates tab %d on the hub's live page now, and has paused it until they give "+
			"it back. Do something else first, or wait for the user", d.Tab)
	}
	return ""
}
