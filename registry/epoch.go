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

// Heed gives the event that counts: e itself, what a page's actor says in it, or
// nil if that is a predecessor's.
func (s *State) Heed(e Event) Event {
	said, ok := e.(PageSaid)
	if !ok {
		return e
	}
	if p := s.pages[said.Page]; p == nil || p.epoch != said.Epoch {
		return nil
	}
	return said.Event
}
