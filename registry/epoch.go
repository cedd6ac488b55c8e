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
// an earlier actor, or is about a document that the page no longer shows.
func (s *State) heed(e Event) Event {
	if said, ok := e.(PageEvent); ok {
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

// A tab that shows the hub's own page is for the user, not for agents. It counts as closed while it shows that page:
// no catalog has it, so no tool that looks up tabs in a catalog reaches it.

// maxUnplaced is how many events may wait for the address of a document.
const maxUnplaced = 64

// ownPage is a tab that counts as closed because it shows the hub's own page.
type ownPage struct {
	opened PageOpened
	// later has the events since the tab began to navigate to an address that isn't known yet; nil while the tab
	// stays.
	later []Event
}

// step applies an event, unless it is about a tab that shows the hub's own page.
func (s *State) step(e Event) {
	if s.concerns(e) {
		return
	}
	s.apply(s.heed(e))
}

// concerns handles an event about a tab that shows, or begins to show, the hub's own page. It returns whether it has
// handled the event.
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
	if by, is := e.(PageEvent); is {
		if o := s.concealed[by.Page]; o != nil && o.opened.Epoch == by.Epoch {
			o.wait(e)
			return true
		}
	}
	return false
}

// said returns the event inside a PageEvent, or the event itself.
func said(e Event) Event {
	if by, is := e.(PageEvent); is {
		return by.Event
	}
	return e
}

// conceal makes a tab count as closed.
func (s *State) conceal(o PageOpened) {
	if s.concealed == nil {
		s.concealed = map[PageID]*ownPage{}
	}
	s.concealed[o.Page] = &ownPage{opened: o}
}

// shows handles the news that a tab has an address, or, if url is "", that it navigates to an unknown one. own says
// that the address is the hub's own page. shows returns whether it has handled the event completely.
func (s *State) shows(e Event, page PageID, url string, own bool) bool {
	o := s.concealed[page]
	by, epoch := e.(PageEvent)
	switch {
	case o == nil && own:
		p := s.pages[page]
		if p == nil || s.heed(e) == nil {
			return false // heed drops the event anyway
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

// wait keeps an event until the tab's new address is known.
func (o *ownPage) wait(e Event) {
	if o.later != nil && len(o.later) < maxUnplaced {
		o.later = append(o.later, e)
	}
}
