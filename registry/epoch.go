package registry

// A page can change hands: its actor is replaced when it fails, and another takes
// the page up when the connection to its browser is made again. What the one
// before still had to say may arrive after the first word of the next.

// Epoch tells those apart that have had the say over a page, see [PageOpened].
// Later ones are higher; those of tests may all be 0.
type Epoch uint32

// FirstGen is below all documents that are counted in the epoch, and above those
// of earlier ones.
func (e Epoch) FirstGen() Gen { return Gen(e) << 32 }

// PageSaid is an event of a page as its actor tells it. It is dropped if another
// has the say by now.
type PageSaid struct {
	Page  PageID
	Epoch Epoch
	Event Event
}

func (PageSaid) event() {}

// heed gives the event that counts: e itself, what a page's actor says in it, or
// nil if that is a predecessor's, or about a document that the page no longer shows.
func (s *State) heed(e Event) Event {
	if said, ok := e.(PageSaid); ok {
		if p := s.pages[said.Page]; p == nil || p.epoch != said.Epoch {
			return nil
		}
		e = said.Event
	}
	if s.outdated(e) {
		return nil
	}
	return e
}

// outdated says that e is about a page, or a document, that has gone.
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
