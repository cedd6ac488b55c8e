package mcpserver

import (
	"sync"
	"time"

	"webmcphub/mcpserver/view"
)

// DefaultLaunchDelay is the default of Options.LaunchDelay.
const DefaultLaunchDelay = 3 * time.Second

// stayed is the state of a wait. If a client stays for LaunchDelay, the hub asks for a browser, so that the client
// sees the pages' tools in its list. Before that the client may only be checking whether the hub works. If there was a
// browser during the wait, the hub doesn't ask: the user may have closed it.
type stayed struct {
	mu    sync.Mutex
	timer *time.Timer // nil before the wait began
	begun time.Time
	had   bool // there was a browser when the wait began
	over  bool // the wait has ended
	gone  bool // the session is ending
}

// goesOn notes that the client sends something after its initialize.
func (s *session) goesOn() {
	if !s.server.options.OnNeed || s.client.View.Settings().Mode == view.FocusedTab {
		return
	}
	stay := &s.stay
	stay.mu.Lock()
	defer stay.mu.Unlock()
	switch {
	case stay.gone:
	case stay.timer == nil:
		stay.begun, stay.had = time.Now(), s.server.current.Catalog().BrowserStatus() == ""
		stay.timer = time.AfterFunc(s.server.options.LaunchDelay, s.hasStayed)
	case stay.over && s.crew == nil: // over HTTP the hub couldn't tell before whether the client was still there
		stay.timer.Reset(0)
	}
}

// hasStayed asks for the browser if the client is still there. Over HTTP the client is there if it has an event
// stream, or sends a request after the wait.
func (s *session) hasStayed() {
	stay := &s.stay
	stay.mu.Lock()
	there := !stay.gone && (s.crew != nil || s.client.Conn.Attached() || stay.over)
	reached := s.server.current.Load().Reached
	closed := stay.had || !reached.IsZero() && !reached.Before(stay.begun)
	stay.over = true
	stay.mu.Unlock()
	if there && !closed {
		_ = s.server.calls.EnsureBrowser(s.ctx, s.client, nil) // the catalog says why there is no browser
	}
}

// end ends the wait.
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
