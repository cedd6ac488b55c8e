package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// paused holds what the user has paused. It is never changed.
type paused struct {
	all      bool // all agents are paused
	sites    map[names.Origin]bool
	sessions map[string]bool
	tabs     map[registry.TabID]bool
	taken    map[*takeOver]registry.TabID // tabs that a person operates and has paused for that time
}

// takeOver is one time that a person takes over a tab. The same viewer may take it over twice, and again while an
// earlier time is ending. So each time is identified by its address, and the end of one doesn't end another.
type takeOver struct{ _ byte } // not empty, because addresses of empty values may be equal

// Pauses holds what the user has paused for agents, on the live page or in the extension's popup. Any goroutine may
// call its methods.
type Pauses struct {
	mu       sync.Mutex // held while the pauses change
	now      atomic.Pointer[paused]
	followed []func()
}

// Follow calls changed after each pause and each end of a pause. changed must not block, and must not use the live
// page's store, because the store is locked while the user pauses something on the page.
func (p *Pauses) Follow(changed func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.followed = append(p.followed, changed)
}

// paused returns what is paused now.
func (p *Pauses) paused() paused {
	if now := p.now.Load(); now != nil {
		return *now
	}
	return paused{}
}

// change changes what is paused. It returns when the change is in effect.
func (p *Pauses) change(change func(*paused)) {
	p.mu.Lock()
	now := p.paused()
	change(&now)
	p.now.Store(&now)
	followed := p.followed
	p.mu.Unlock()
	for _, changed := range followed {
		changed()
	}
}

// PauseAll pauses all agents, or lets them go on.
func (p *Pauses) PauseAll(on bool) { p.change(func(now *paused) { now.all = on }) }

// PauseSite pauses agents on one site, or lets them go on there. It returns an error if origin isn't a site's origin.
func (p *Pauses) PauseSite(origin string, on bool) error {
	at := names.ParseAddress(origin)
	if at == (names.Origin{}) {
		return fmt.Errorf("%.100q is not a site's origin", origin)
	}
	p.change(func(now *paused) { now.site(at, on) })
	return nil
}

// PausedNow returns what is paused besides clients: all agents, sites by their origins, and tabs.
func (p *Pauses) PausedNow() (all bool, sites []string, tabs map[registry.TabID]bool) {
	now := p.paused()
	return now.all, now.origins(), now.allTabs()
}

// pause changes what is paused. It returns when the change is in effect, or returns why nothing was changed.
func (s *Server) pause(change func(*paused)) (problem string) {
	if !s.store.ask(func(b *store) {
		s.Pauses.change(change)
		b.wake()
	}) {
		return ending
	}
	return ""
}

// forgetTabs ends the pauses of tabs that the store no longer knows. The store still knows tabs that were closed
// recently, because such a tab may come back with its number, for example when its browser was lost for a while. Then
// the tab is still paused.
func (s *Server) forgetTabs(b *store) {
	for id := range s.paused().tabs {
		if !b.state.Knows(id) {
			s.Pauses.change(func(p *paused) { p.tab(id, false) })
		}
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

// site pauses a site, or lets agents go on there.
func (p *paused) site(at names.Origin, on bool) { p.sites = with(p.sites, at, on) }

// origins returns the paused sites.
func (p paused) origins() (all []string) {
	for at := range p.sites {
		all = append(all, at.String())
	}
	slices.Sort(all)
	return all
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

// pausesTab reports whether a tab is paused.
func (p paused) pausesTab(id registry.TabID) bool { return p.tabs[id] || p.operates(id) }

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
	now := s.paused() // read first, because a client may connect and be paused meanwhile
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

// Paused says why nothing may be done for a paused client, with a paused tab or on a paused site. It returns "" if
// nothing is paused.
func (p *Pauses) Paused(d calls.Action) (why string) {
	now := p.now.Load()
	agent := !strings.HasPrefix(d.Session, PersonSession+"-")
	switch {
	case now == nil:
		return ""
	case d.Session != "" && now.sessions[d.Session]:
		return "the user has paused this client on the hub's live page. Stop, and ask the user to let it go on"
	case now.all && agent:
		return "the user has paused all agents. Stop, and ask the user to let them go on, in the extension's popup or " +
			"on the hub's live page"
	case d.Tab != 0 && now.tabs[d.Tab]:
		return fmt.Sprintf("the user has paused tab %d on the hub's live page. Leave it alone, and ask the user to "+
			"let it go on", d.Tab)
	case d.Tab != 0 && now.operates(d.Tab):
		return fmt.Sprintf("the user operates tab %d on the hub's live page now, and has paused it until they give "+
			"it back. Do something else first, or wait for the user", d.Tab)
	case len(now.sites) == 0 || !agent:
		return ""
	}
	if d.To != "" && !names.Plain(d.To) {
		return "the user has paused agents on some sites, and nobody can tell where this address leads, because it is " +
			"written in an unusual way. Write it as browsers do"
	}
	for _, at := range d.Sites() {
		if now.sites[at] {
			return fmt.Sprintf("the user has paused agents on %s. Leave this site alone, and ask the user to let agents "+
				"go on there, in the extension's popup or on the hub's live page", at)
		}
	}
	return ""
}
