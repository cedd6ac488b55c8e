package mcpserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"time"

	"webmcphub/registry/mcpserver/wire"
)

// httpSession is a client's session over HTTP, from initialize on. Its
// requests come by connections of their own.
type httpSession struct {
	*session
	key string // the Mcp-Session-Id, which only its client knows
	end context.CancelCauseFunc

	// The rest belongs to httpSessions.
	uses int         // HTTP requests that are being answered
	used time.Time   // when the last of them was
	idle *time.Timer // ends the session; stopped while it is used
}

// Why a session ended that nobody used: for too long, or when another needed its place.
var (
	errIdle       = fmt.Errorf("%w: it was not used", wire.ErrSessionOver)
	errCrowdedOut = fmt.Errorf("%w: it was not used, and a new one needed its place", wire.ErrSessionOver)
)

// httpSessions are the sessions of one listener. Any goroutine may use it.
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

// open makes a session, in use by the caller. Where there are as many as there
// may be, the one goes that was not used for longest.
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

// leastUsed is the session that was not used for longest, or nil if all are in
// use. mu must be held.
func (t *httpSessions) leastUsed() (least *httpSession) {
	for _, hs := range t.byKey {
		if hs.uses == 0 && (least == nil || hs.used.Before(least.used)) {
			least = hs
		}
	}
	return least
}

// add makes a session. mu must be held.
func (t *httpSessions) add() (*httpSession, *refusal) {
	switch {
	case t.closed != nil:
		return nil, refusef(http.StatusServiceUnavailable, "the server is stopping")
	case len(t.byKey) >= t.max:
		return nil, refusef(http.StatusServiceUnavailable, "the server has %d sessions, all in use, which is its limit; end one (DELETE) or close its event stream", t.max)
	}
	ctx, end := context.WithCancelCause(t.ctx)
	hs := &httpSession{key: rand.Text(), end: end, uses: 1}
	hs.session = t.server.newSession(ctx, false, "http")
	if err := t.server.mcp.RegisterSession(ctx, hs.peer); err != nil {
		end(err)
		t.server.remove(hs.session)
		return nil, refusef(http.StatusInternalServerError, "the session can't be registered: %v", err)
	}
	go hs.peer.pump(ctx, hs.client.Conn)
	t.byKey[hs.key] = hs
	hs.idle = time.AfterFunc(t.idleAfter, func() { t.expire(hs) })
	hs.idle.Stop()
	hs.log.Info("a client connected over HTTP", "sessions", len(t.byKey))
	return hs, nil
}

// use finds a session for one HTTP request, after which it must be released.
func (t *httpSessions) use(key string) (*httpSession, *refusal) {
	if key == "" {
		return nil, refusef(http.StatusBadRequest, "the Mcp-Session-Id header is missing: send initialize first, and with every other request the id that its answer gave")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	hs := t.byKey[key]
	if hs == nil {
		return nil, refusef(http.StatusNotFound, "there is no such session; it was not used for %v, or another needed its place, or the hub was started again. Send initialize without a session id for a new one", t.idleAfter)
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

// unheard ends what the client keeps to itself, if its event stream has ended
// and nothing is heard of it for a while: it may be gone. Its session stays for
// it to come back to.
func (t *httpSessions) unheard(hs *httpSession) {
	time.AfterFunc(leaseGrace, func() {
		t.mu.Lock()
		gone := hs.uses == 0 && time.Since(hs.used) >= leaseGrace
		t.mu.Unlock()
		if gone {
			t.server.calls.Leases.Release(hs.client)
		}
	})
}

// expire ends a session that nobody has used.
func (t *httpSessions) expire(hs *httpSession) {
	t.mu.Lock()
	over := hs.uses == 0 && time.Since(hs.used) >= t.idleAfter && t.forget(hs)
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

// forget says whether the session was known until now. mu must be held.
func (t *httpSessions) forget(hs *httpSession) bool {
	if t.byKey[hs.key] != hs {
		return false
	}
	delete(t.byKey, hs.key)
	hs.idle.Stop()
	return true
}

// end ends a forgotten session.
func (t *httpSessions) end(hs *httpSession, cause error) {
	hs.stop(cause)
	hs.end(cause)
	t.server.mcp.UnregisterSession(context.WithoutCancel(hs.ctx), hs.client.ID)
	t.server.remove(hs.session)
	hs.log.Info("an HTTP client's session is over", "why", cause)
}

// close ends all sessions; there are none after it.
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
