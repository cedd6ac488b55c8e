package live

import (
	"fmt"
	"maps"
	"slices"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// paused holds the clients and tabs that the user has paused. It is never changed.
type paused struct {
	sessions map[string]bool
	tabs     map[registry.TabID]bool
	taken    map[*takeOver]registry.TabID // tabs that a person operates and has paused for that time
}

// takeOver is one time that a person takes over a tab. The same viewer may take it over twice, and again while an
// earlier time is ending. So each time is identified by its address, and the end of one doesn't end another.
type takeOver struct{ _ byte } // not empty, because addresses of empty values may be equal

// standing returns what is paused now.
func (s *Server) standing() paused {
	if now := s.pauses.Load(); now != nil {
		return *now
	}
	return paused{}
}

// pause changes what is paused. It returns when the change holds, or says why it doesn't.
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

// forgetTabs forgets the pauses of tabs that the book no longer knows. The book still knows tabs that were closed
// lately, because such a tab may come back with its number, for example when its browser was lost for a while; then
// it is still paused. Only the owner of the book calls forgetTabs.
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

// client pauses a client, or lets it go on; tab does the same for a tab.
func (p *paused) client(session string, on bool) { p.sessions = with(p.sessions, session, on) }

func (p *paused) tab(id registry.TabID, on bool) {
	if p.tabs = with(p.tabs, id, on); !on {
		p.taken = maps.Clone(p.taken)
		maps.DeleteFunc(p.taken, func(_ *takeOver, other registry.TabID) bool { return other == id })
	}
}

// take pauses a tab while a person operates it; give ends that.
func (p *paused) take(by *takeOver, id registry.TabID) {
	n := map[*takeOver]registry.TabID{by: id}
	maps.Copy(n, p.taken)
	p.taken = n
}

func (p *paused) give(by *takeOver) {
	p.taken = maps.Clone(p.taken)
	delete(p.taken, by)
}

// keeps reports whether a tab is paused.
func (p paused) keeps(id registry.TabID) bool { return p.tabs[id] || p.operates(id) }

// operates reports whether a person operates the tab and has paused it for that time.
func (p paused) operates(id registry.TabID) bool {
	for _, taken := range p.taken {
		if taken == id {
			return true
		}
	}
	return false
}

// allTabs returns the tabs that are paused.
func (p paused) allTabs() map[registry.TabID]bool {
	all := p.tabs
	for _, id := range p.taken {
		all = with(all, id, true)
	}
	return all
}

// clients returns the connected clients, and what is paused. It forgets the pauses of clients that have gone, because
// their sessions don't come back.
func (s *Server) clients() ([]mcpserver.ClientState, paused) {
	now := s.standing() // first: a client that comes and is paused meanwhile has not gone
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

// Paused says why nothing may be done for a paused client or with a paused tab. It returns "" if nothing is paused.
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
