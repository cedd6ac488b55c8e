package mcpserver

import (
	"sync"
	"time"

	"webmcphub/mcpserver/view"
)

// DefaultStay is Options.Stay where it isn't given.
const DefaultStay = 3 * time.Second

// stayed has the browser come for a client that has stayed for some time, for it
// to see the pages' tools in its list. Until then the client may only be looking
// whether the hub works. A browser that was there since then and isn't any more was closed
// by its user: it comes back when a request needs it.
type stayed struct {
	mu    sync.Mutex
	timer *time.Timer // nil before it began
	begun time.Time
	had   bool // the browser was there when it began
	over  bool // the time has passed
	gone  bool // the session is ending
}

// goesOn notes that the client goes on after its initialize.
func (s *session) goesOn() {
	if !s.server.options.OnNeed || s.client.Lens.View().Mode == view.FocusedTab {
		return
	}
	stay := &s.stay
	stay.mu.Lock()
	defer stay.mu.Unlock()
	switch {
	case stay.gone:
	case stay.timer == nil:
		stay.begun, stay.had = time.Now(), s.server.current.Catalog().BrowserStatus() == ""
		stay.timer = time.AfterFunc(s.server.options.Stay, s.hasStayed)
	case stay.over && s.crew == nil: // over HTTP nobody knew whether it was there
		stay.timer.Reset(0)
	}
}

// hasStayed asks for the browser, if the client is still there: over HTTP, if it
// has an event stream or asks for something after that time.
func (s *session) hasStayed() {
	stay := &s.stay
	stay.mu.Lock()
	there := !stay.gone && (s.crew != nil || s.client.Conn.Attached() || stay.over)
	reached := s.server.current.Load().Reached
	closed := stay.had || !reached.IsZero() && !reached.Before(stay.begun)
	stay.over = true
	stay.mu.Unlock()
	if there && !closed {
		_ = s.server.calls.NeedBrowser(s.ctx, s.client, nil) // the catalog says why there is none
	}
}

// end ends that.
func (v *stayed) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gone = true
	if v.timer != nil {
		v.timer.Stop()
	}
}

// stop refuses the client's further requests and cancels those in flight.
func (s *session) stop(cause error) {
	s.stay.end()
	s.client.Conn.Stop(cause)
}
