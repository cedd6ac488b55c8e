package mcpserver

import "time"

// DefaultStay is Options.Stay where it isn't given.
const DefaultStay = 3 * time.Second

// stayed has the browser come for a client that has stayed for some time, for it
// to see the pages' tools in its list. Until then the client may only be looking
// whether the hub works.
type stayed struct {
	timer *time.Timer // nil before it began
	over  bool        // the time has passed
}

// goesOn notes that the client goes on after its initialize.
func (s *session) goesOn() {
	o := s.out
	if !s.server.options.OnNeed || o.view.Mode == FocusedTab {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.stopping:
	case o.stay.timer == nil:
		o.stay.timer = time.AfterFunc(s.server.options.Stay, s.hasStayed)
	case o.stay.over && s.crew == nil: // over HTTP nobody knew whether it was there
		o.stay.timer.Reset(0)
	}
}

// hasStayed asks for the browser, if the client is still there: over HTTP, if it
// has an event stream or asks for something after that time.
func (s *session) hasStayed() {
	o := s.out
	o.mu.Lock()
	there := !o.stopping && (s.crew != nil || o.stream != nil || o.stay.over)
	o.stay.over = true
	o.mu.Unlock()
	if there {
		_ = s.server.needBrowser(s.ctx, o, nil) // the catalog says why there is none
	}
}

// gone ends that.
func (v *stayed) gone() {
	if v.timer != nil {
		v.timer.Stop()
	}
}
