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

// A tab that shows the hub's own page is the user's, not the agent's: it counts as
// closed for as long as it shows that, so that no catalog has it, and no tool that finds
// its tab in a catalog reaches it.

// maxUnplaced is how many events wait for the address of a document.
const maxUnplaced = 64

// ownPage is a tab that counts as closed.
type ownPage struct {
	opened PageOpened
	// later is what came since it began to go elsewhere, to an address that isn't told
	// yet; nil while it stays.
	later []Event
}

// step applies an event, unless it is about a tab that shows the hub's own page.
func (s *State) step(e Event) {
	if s.concerns(e) {
		return
	}
	s.apply(s.heed(e))
}

// concerns takes what is about a tab that shows the hub's own page, or begins to, and
// says whether it was.
func (s *State) concerns(e Event) bool {
	is := func(url, origin string) bool { return s.options.Origins.IsOwn(origin, url) }
	switch in := said(e).(type) {
	case PageOpened:
		delete(s.concealed, in.Page)
		if s.pages[in.Page] != nil || !is(in.URL, "") {
			return false
		}
		s.conceal(in)
		return true
	case PageClosed:
		delete(s.concealed, in.Page)
		return false
	case Navigated:
		return s.shows(e, in.Page, in.URL, is(in.URL, in.Origin))
	case PageChanged:
		return s.shows(e, in.Page, in.URL, is(in.URL, in.Origin))
	}
	if by, is := e.(PageSaid); is {
		if o := s.concealed[by.Page]; o != nil && o.opened.Epoch == by.Epoch {
			o.wait(e)
			return true
		}
	}
	return false
}

// said is what a page's actor says, or the event itself.
func said(e Event) Event {
	if by, is := e.(PageSaid); is {
		return by.Event
	}
	return e
}

// conceal has a tab count as closed.
func (s *State) conceal(o PageOpened) {
	if s.concealed == nil {
		s.concealed = map[PageID]*ownPage{}
	}
	s.concealed[o.Page] = &ownPage{opened: o}
}

// shows takes that a tab has an address, or with "" that it goes to one; own says that
// it is the hub's page. It says whether nobody else is to be told.
func (s *State) shows(e Event, page PageID, url string, own bool) bool {
	o := s.concealed[page]
	by, epoch := e.(PageSaid)
	switch {
	case o == nil && own:
		p := s.pages[page]
		if p == nil || s.heed(e) == nil {
			return false // it isn't heard anyway
		}
		s.conceal(PageOpened{Page: page, URL: url, Proxied: p.proxied, Epoch: p.epoch})
		s.pageClosed(page)
		return true
	case o == nil || epoch && by.Epoch != o.opened.Epoch:
		return false
	case own:
		o.later = nil
	case url == "":
		if _, goes := said(e).(Navigated); goes && o.later == nil {
			o.later = []Event{}
		}
		o.wait(e)
	default:
		delete(s.concealed, page)
		o.opened.URL = url
		s.apply(o.opened)
		for _, l := range append(o.later, e) {
			s.apply(s.heed(l))
		}
	}
	return true
}

// wait keeps an event until it is known where the tab goes.
func (o *ownPage) wait(e Event) {
	if o.later != nil && len(o.later) < maxUnplaced {
		o.later = append(o.later, e)
	}
}
