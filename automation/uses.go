package automation

import (
	"context"
	"fmt"
	"time"

	"webmcphub/automation/page"
	"webmcphub/internal/browsertool"
	"webmcphub/registry"
)

// anonymousKeep is how long a tab stays open for automation after a call of a client without a session. The uids in
// the call's answer are valid for as long.
const anonymousKeep = 5 * time.Minute

// enter notes that a call of a client has begun.
func (s *Service) enter(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present.Enter(client)
}

// leave notes that a call has ended. If no other call of its client will come, leave releases what the client held.
func (s *Service) leave(client string, last bool) {
	s.mu.Lock()
	over := s.present.Leave(client, last)
	s.mu.Unlock()
	if over {
		s.ClientGone(client)
	}
}

// uses notes that the client uses a tab, which keeps the tab open for automation. A client with a session uses it
// until the client is gone; a client without one uses it for anonymousKeep.
func (r *Request) uses(ctx context.Context, t *tab) {
	s := r.service
	s.place(ctx, t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.anonymous {
		t.users[r.Client.ID] = true
		return
	}
	t.users[""] = true
	if t.unused != nil {
		t.unused.Stop()
	}
	t.unused = time.AfterFunc(anonymousKeep, func() {
		s.mu.Lock()
		delete(t.users, "")
		s.mu.Unlock()
		t.close(func() bool { return !s.used(t) })
		s.tidy()
	})
}

// Lend returns a function that lends a person the page by which agents operate a tab, so that the person's input takes
// its turn with theirs. The page stays open until release is called.
func (s *Service) Lend(id registry.PageID,
	current func() *registry.Catalog) func(ctx context.Context) (p *page.Page, release func(), err error) {
	return func(ctx context.Context) (*page.Page, func(), error) {
		client := fmt.Sprintf("person-screen-%d", s.number()) // gateways' clients have a space in their names
		t, release := s.tab(current, id), func() { s.ClientGone(client) }
		(&Request{Call: browsertool.Call{Client: browsertool.Client{ID: client}}, service: s}).uses(ctx, t)
		p, err := t.openTo(ctx, s, page.Stays, false)
		if err != nil {
			release()
			return nil, nil, err
		}
		return p.Page, release, nil
	}
}

// place finds out which browser context a tab is in, no matter who opened the tab. Only browsers with a debugging
// port have contexts.
func (s *Service) place(ctx context.Context, t *tab) {
	s.mu.Lock()
	placed := t.placed
	s.mu.Unlock()
	if placed {
		return
	}
	if ported, err := s.options.Browser.Debuggable(t.id); err != nil || !ported {
		return
	}
	if access, err := s.options.Browser.Debug(t.id); err == nil {
		in := s.isolated.Of(ctx, access.Conn, access.Target)
		s.mu.Lock()
		defer s.mu.Unlock()
		t.in, t.placed = in, true
	}
}

// tidy disposes of browser contexts whose clients are gone and in which no other client uses or owns a tab.
func (s *Service) tidy() {
	used := map[ContextID]bool{}
	s.mu.Lock()
	for _, t := range s.tabs {
		used[t.in] = used[t.in] || len(t.users) > 0 || t.owner.ID != ""
	}
	s.mu.Unlock()
	s.isolated.Tidy(func(is ContextID) bool { return used[is] })
}
