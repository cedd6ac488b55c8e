package mcpserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"time"

	"webmcphub/mcpserver/wire"
)

// httpSession is a client's session over HTTP, from initialize on. Each of its requests comes on a connection of its
// own.
type httpSession struct {
	*session
	key string // the Mcp-Session-Id, which only its client knows

	// The fields below belong to the httpSessions.
	uses int         // HTTP requests that are being answered
	used time.Time   // when the last of them was answered
	idle *time.Timer // ends the session; stopped while the session is used
}

// inUse reports whether the client is waiting for something: for the answer to an HTTP request, or for a call that
// goes on although its connection broke. The httpSessions' mu must be held.
func (hs *httpSession) inUse() bool { return hs.uses > 0 || hs.client.Conn.Busy() }

// Why an unused session ended: it was unused for too long, or another session needed its place.
var (
	errIdle       = fmt.Errorf("%w: it was not used", wire.ErrSessionOver)
	errCrowdedOut = fmt.Errorf("%w: it was not used, and a new one needed its place", wire.ErrSessionOver)
)

// httpSessions holds the sessions of one httpHandler. Any goroutine may use it.
type httpSessions struct {
	server    *Server
	ctx       context.Context
	max       int
	idleAfter time.Duration

	mu     sync.Mutex
	closed error // why there are no sessions any more
	byKey  map[string]*httpSession
}

func newHTTPSessions(s *Server, ctx context.Context, max int, idleAfter time.Duration) *httpSessions {
	return &httpSessions{server: s, ctx: ctx, max: max, idleAfter: idleAfter, byKey: map[string]*httpSession{}}
}

// open begins a session, which the caller then uses. If there are as many sessions as allowed, the one ends that has
// been unused for the longest time, if that is [unusedAfter] or longer.
func (t *httpSessions) open() (*httpSession, *refusal) {
	t.mu.Lock()
	var crowdedOut *httpSession
	if len(t.byKey) >= t.max {
		if crowdedOut = t.leastUsed(); crowdedOut != nil {
			t.forget(crowdedOut)
		}
	}
	hs, refused := t.add()
	t.mu.Unlock()
	if crowdedOut != nil {
		t.end(crowdedOut, errCrowdedOut)
	}
	return hs, refused
}

// leastUsed returns the session that has been unused for the longest time, or nil if all have been used within the last
// minute: their clients are most likely between two requests. mu must be held.
func (t *httpSessions) leastUsed() (least *httpSession) {
	for _, hs := range t.byKey {
		if !hs.inUse() && time.Since(hs.used) >= unusedAfter && (least == nil || hs.used.Before(least.used)) {
			least = hs
		}
	}
	return least
}

// add begins a session. mu must be held.
func (t *httpSessions) add() (*httpSession, *refusal) {
	switch {
	case t.closed != nil:
		return nil, refusef(http.StatusServiceUnavailable, "the server is stopping")
	case len(t.byKey) >= t.max:
		return nil, refusef(http.StatusServiceUnavailable, "the server has %d sessions, all in use, which is its "+
			"limit; try again in a minute, or end one (DELETE)", t.max)
	}
	hs := &httpSession{session: t.server.connectHTTP(t.ctx, false), key: rand.Text(), uses: 1}
	t.byKey[hs.key] = hs
	hs.idle = time.AfterFunc(t.idleAfter, func() { t.expire(hs) })
	hs.idle.Stop()
	hs.log.Info("a client connected over HTTP", "sessions", len(t.byKey))
	return hs, nil
}

// use finds a session for one HTTP request. The caller must release the session after the request.
func (t *httpSessions) use(key string) (*httpSession, *refusal) {
	if key == "" {
		return nil, refusef(http.StatusBadRequest, "the Mcp-Session-Id header is missing: send initialize first, and "+
			"with every other request the id that its answer gave")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	hs := t.byKey[key]
	if hs == nil {
		return nil, refusef(http.StatusNotFound, "there is no such session; it was not used for %v, or another "+
			"needed its place, or the hub was started again. Send initialize without a session id for a new one",
			t.idleAfter)
	}
	hs.uses++
	hs.idle.Stop()
	return hs, nil
}

func (t *httpSessions) release(hs *httpSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	hs.used = time.Now()
	if hs.uses--; hs.uses == 0 && t.byKey[hs.key] == hs {
		hs.idle.Reset(t.idleAfter)
	}
}

// releaseIfGone releases what the client keeps to itself if the client sends nothing for [leaseGrace] after its event
// stream has ended, since it may be gone. The session stays, so that the client can come back to it.
func (t *httpSessions) releaseIfGone(hs *httpSession) {
	time.AfterFunc(leaseGrace, func() {
		t.mu.Lock()
		gone := hs.uses == 0 && time.Since(hs.used) >= leaseGrace
		waits := hs.inUse()
		t.mu.Unlock()
		switch {
		case gone && waits: // for a call, whose end is not reported to releaseIfGone
			t.releaseIfGone(hs)
		case gone:
			t.server.calls.Leases.Release(hs.client)
		}
	})
}

// expire ends a session that has been unused for too long.
func (t *httpSessions) expire(hs *httpSession) {
	t.mu.Lock()
	if t.byKey[hs.key] == hs && hs.uses == 0 && hs.inUse() { // a running call counts as use until its end
		hs.used = time.Now()
		hs.idle.Reset(t.idleAfter)
	}
	over := !hs.inUse() && time.Since(hs.used) >= t.idleAfter && t.forget(hs)
	t.mu.Unlock()
	if over {
		t.end(hs, errIdle)
	}
}

// drop ends a session: its calls in flight are cancelled and its streams end.
func (t *httpSessions) drop(hs *httpSession, cause error) {
	t.mu.Lock()
	known := t.forget(hs)
	t.mu.Unlock()
	if known {
		t.end(hs, cause)
	}
}

// forget removes a session, and reports whether it was known until now. mu must be held.
func (t *httpSessions) forget(hs *httpSession) bool {
	if t.byKey[hs.key] != hs {
		return false
	}
	delete(t.byKey, hs.key)
	hs.idle.Stop()
	return true
}

// end ends a session that forget has removed.
func (t *httpSessions) end(hs *httpSession, cause error) {
	hs.close(cause)
	hs.log.Info("an HTTP client's session is over", "why", cause)
}

// close ends all sessions. No session can begin after it.
func (t *httpSessions) close(cause error) {
	t.mu.Lock()
	t.closed = cause
	var all []*httpSession
	for _, hs := range t.byKey {
		all = append(all, hs)
	}
	t.mu.Unlock()
	for _, hs := range all {
		t.drop(hs, cause)
	}
}

// connectHTTP begins a session, which is one of the server's until close. The session's context ends with ctx.
func (s *Server) connectHTTP(ctx context.Context, sessionless bool) *session {
	ctx, end := context.WithCancelCause(ctx)
	sess := &session{server: s, ctx: ctx, end: end}
	s.add(sess, s.options.Settings, sessionless, "http")
	return sess
}

// close ends a session over HTTP and cancels its calls in flight, unless a work keeps the session.
func (s *session) close(cause error) {
	if s.kept.Add(-1) < 0 {
		s.closeNow(cause)
	}
}

// keep keeps a session over HTTP, although its request is answered, until leave is called.
func (s *session) keep() (leave func()) {
	s.kept.Add(1)
	return sync.OnceFunc(func() { s.close(wire.ErrSessionOver) })
}

func (s *session) closeNow(cause error) {
	s.stop(cause)
	s.end(cause)
	s.server.remove(s)
}
