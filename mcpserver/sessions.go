package mcpserver

import (
	"fmt"
	"slices"
	"sync"

	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
)

// sessions holds all sessions of the server. Any goroutine may use it.
type sessions struct {
	mu       sync.Mutex
	all      map[*session]bool
	lastID   int
	unlisted bool // View.Unlisted for clients without a view of their own, see ListPageTools
}

// add adds a session to the server's sessions, with this view, until remove. From then on any goroutine may look at
// it, so it is complete before. For sessionless, see [wire.NewConn].
func (s *Server) add(sess *session, v view.Settings, sessionless bool, transport string) {
	ss := &s.sessions
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.lastID++
	sess.number = ss.lastID
	if !sess.ownView {
		v.Unlisted = ss.unlisted
	}
	l := view.New(v, s.calls.Setup(v, s.options.Settings.MaxName))
	sess.client = view.NewClient(fmt.Sprintf("%s-%d", transport, ss.lastID), wire.NewConn(sessionless), l, sessionless)
	sess.log = s.log.With("session", sess.client.ID)
	ss.all[sess] = true
}

// each calls do for every session. It holds the sessions' lock, so do must not block, add a session or remove one.
func (ss *sessions) each(do func(*session)) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for sess := range ss.all {
		do(sess)
	}
}

// pending returns the requests of sessionless clients that concern the pages. Any of them may come from the client
// that listens for list_changed. mu must be held.
func (ss *sessions) pending(pages []registry.PageID) (all []*wire.Request) {
	for sess := range ss.all {
		all = append(all, sess.client.Conn.Pending(pages)...)
	}
	return slices.Clip(all)
}

// sessionlessAnswered notes in the sessions of sessionless clients that a sessionless client's request is answered,
// because a list_changed in one of them may be waiting for the answer.
func (ss *sessions) sessionlessAnswered(r *wire.Request) {
	ss.each(func(sess *session) {
		if sess.client.Sessionless {
			sess.client.Conn.AnsweredElsewhere(r)
		}
	})
}

// SetPageToolsListed switches the listing of page tools on or off for the clients without a view of their own.
func (s *Server) SetPageToolsListed(on bool) {
	ss := &s.sessions
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.unlisted = !on
	for sess := range ss.all {
		if !sess.ownView {
			sess.client.SetListing(on, s.current.Load())
		}
	}
}

// remove ends everything that a session has.
func (s *Server) remove(sess *session) {
	s.works.gone(sess)
	s.calls.Leases.Release(sess.client)
	if !sess.client.Sessionless {
		s.calls.Wholes.Gone(sess.client.ID)
		s.calls.Finder.Gone(sess.client.ID)
	}
	if a := s.options.Automation; a != nil {
		a.ClientGone(sess.client.ID)
	}
	if t := s.options.Trust; t != nil {
		t.ClientGone(sess.client.ID)
	}
	s.unsubscribeLater(sess.client, func(string) bool { return true })
	s.sessions.mu.Lock()
	delete(s.sessions.all, sess)
	s.sessions.mu.Unlock()
	s.logLevelSet(false)
}
