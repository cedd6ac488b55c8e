package registry

// Another actor can take over a page: the page's actor is replaced when it fails, and a new one attaches when the
// connection to the browser is restored. Messages of the earlier actor may arrive after the first message of the next
// one.

// Epoch numbers the actors that have reported about a page, see [PageOpened]. Later actors have higher numbers; in
// tests all may be 0.
type Epoch uint32

// FirstGen is lower than all generations of documents in this epoch, and higher than those of earlier epochs.
func (e Epoch) FirstGen() Gen { return Gen(e) << 32 }

// PageEvent is an event that a page's actor reports. State drops it if another actor reports about the page by now.
type PageEvent struct {
	Page  PageID
	Epoch Epoch
	Event Event
}

func (PageEvent) event() {}

// heed returns the event to apply: e itself, or the event inside a PageEvent. It returns nil if the event comes from
// an earlier actor, is about a document that the page no longer shows, or is for clients and comes from a hidden page.
func (s *State) heed(e Event) Event {
	if wrapped, ok := e.(PageEvent); ok {
		p := s.pages[wrapped.Page]
		if p == nil || p.epoch != wrapped.Epoch {
			return nil
		}
		e = wrapped.Event
		switch e.(type) {
		case ResourcesUpdated, PageLogged:
			// Reports of what a hidden page has are heeded. They aren't repeated when the page is listed again without
			// a new document, and are needed then.
			if p.hidden {
				return nil
			}
		}
	}
	if s.outdated(e) {
		return nil
	}
	return e
}

// outdated reports whether e is about a page or a document that has gone.
func (s *State) outdated(e Event) bool {
	switch e := e.(type) {
	case Navigated:
		p := s.pages[e.Page]
		return p == nil || e.Gen <= p.Gen
	case FramesReported:
		p := s.pages[e.Page]
		return p == nil || e.Gen != p.Gen
	case ToolsReported:
		p := s.pages[e.Page]
		return p == nil || e.Gen != p.Gen
	case OffersReported: // it may be ahead: it shows once its document does
		p := s.pages[e.Page]
		return p == nil || e.Gen < p.offers.gen
	}
	return false
}

// A tab that shows the hub's own page is for the user, not for agents. No catalog has it, so no tool that looks up tabs
// in a catalog reaches it. It is hidden until the address of another document is known.

// listed returns a page that is open and not hidden, or nil.
func (s *State) listed(id PageID) *page {
	if p := s.pages[id]; p != nil && !p.hidden {
		return p
	}
	return nil
}

// hideOrShow hides a page if it shows the hub's own page by now, and lists it again if it shows another.
func (s *State) hideOrShow(p *page) {
	hide := s.options.Origins.IsOwn(p.browserOrigin, p.url)
	switch {
	case hide == p.hidden:
	case hide:
		s.unlist(p)
		p.hidden = true
	default:
		p.hidden, p.dirty = false, true
		s.list(p)
	}
}
