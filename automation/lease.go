package automation

import (
	"time"

	"webmcphub/registry"
)

// theTrace is what a browser has one of, for one client at a time. Other such things,
// the window's size and the folder for downloads, automation leaves alone.
const theTrace = "the browser's performance trace"

// traceOf is theTrace of a page's browser.
func (r *Request) traceOf(page registry.PageID) string {
	if t := r.Current().Tab(page); t != nil && t.Browser != "" {
		return theTrace + " (" + t.Browser + ")"
	}
	return theTrace
}

// strangersKeep is how long a tab stays open for automation after a call of a client without
// a session: the uids that the call was given are good for as long.
const strangersKeep = 5 * time.Minute

// enter notes that a call of a client begins.
func (s *Service) enter(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present.Enter(client)
}

// leave notes that a call has ended, and lets go of what it took if no other of its client
// will come.
func (s *Service) leave(client string, last bool) {
	s.mu.Lock()
	over := s.present.Leave(client, last)
	s.mu.Unlock()
	if over {
		s.ClientGone(client)
	}
}

// uses notes that the client uses a tab, which keeps it open for automation: until the client
// is gone or, if nobody can know that, for a while.
func (r *Request) uses(t *tab) {
	s := r.service
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.stranger {
		t.users[r.Client.ID] = true
		return
	}
	t.users[""] = true
	if t.unused != nil {
		t.unused.Stop()
	}
	t.unused = time.AfterFunc(strangersKeep, func() {
		s.mu.Lock()
		delete(t.users, "")
		s.mu.Unlock()
		t.close(func() bool { return !s.used(t) })
	})
}
