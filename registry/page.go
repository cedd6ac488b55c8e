package registry

import (
	"cmp"
	"maps"
	"slices"
	"webmcphub/registry/offer"
)

// page is one open tab.
type page struct {
	offer.Page
	place   int // in State.order
	times   int // how often the page has been opened, as far as the hub knows
	epoch   Epoch
	proxied bool // see PageOpened
	hidden  bool // it shows the hub's own page
	address
	condition
	documents
	updated uint64 // State.updates at the last change of its tools; only with MCPBNames

	settling
	tools  []*PageTool // what is shown of the tools that the page reported
	offers reportedOffers
	published
	refusals
	registrationRate
}

// address has a page's address, and the origin that the browser reports.
type address struct {
	url           string
	browserOrigin string // the page's origin as the browser says; "" while it isn't known
}

// condition is the state of a page, as in PageChanged.
type condition struct {
	title, state, dialog string
	arrived              bool
	readiness            Readiness
}

// documents are the documents that a page shows.
type documents struct {
	moving bool    // the page's address is still the previous document's
	frames []Frame // as in FramesReported
}

// published has a page's tools as the hub names and publishes them.
type published struct {
	hub             list // the tools with their current names
	shown           list // the tools that the catalog publishes
	view            *Tab // what the catalog shows; nil if out of date
	recentlyRemoved recentlyRemoved
	dirty           bool            // hub is out of date
	edited          bool            // the page's tools have changed; if dirty is false, nothing else has
	ranks           map[FrameID]int // see frameRank
	allPlain        bool            // no tool is refused, and all have their plain names
	next            []*HubTool      // between compare and nameTools: the hub tools that stay, and nil for new tools
}

// list is an ordered list of tools. It is immutable. Lists of the same version are equal, and later lists have higher
// versions; the zero list has version 0.
type list struct {
	tools   []*HubTool
	version uint64
}

func (a list) same(b list) bool { return a.version == b.version || slices.Equal(a.tools, b.tools) }

// named makes tools the page's hub tools.
func (s *State) named(p *page, tools []*HubTool) {
	s.lists++
	p.hub, p.view = list{tools, s.lists}, nil
}

// refusals say what of a page can't be published.
type refusals struct {
	barred           []offer.Refusal // documents that may offer nothing, see permitted
	refused          []offer.Refusal
	reportedRefusals reportedRefusals
	withheld         []*offer.Held // tools that wait for a person; refused has them, too
}

func (s *State) pageChanged(e PageChanged) {
	p := s.pages[e.Page]
	if p == nil {
		return
	}
	url, origin, moving := e.URL, e.Origin, false
	if url == "" {
		url, origin, moving = p.url, p.browserOrigin, p.moving
	}
	now := condition{e.Title, e.State, e.Dialog, e.Arrived, e.Readiness}
	if p.url != url || p.browserOrigin != origin || p.condition != now || p.moving != moving {
		p.condition, p.moving = now, moving
		s.moveTo(p, url, origin)
	}
}

func (s *State) navigated(e Navigated) {
	p := s.pages[e.Page]
	p.Gen, p.documents = e.Gen, documents{moving: e.URL == ""}
	p.tools, p.recentlyRemoved, p.barred, p.over, p.dirty = nil, nil, nil, nil, true
	p.unsettle()
	if p.moving {
		p.readiness = StillLoading // what is known is the last document's, until PageChanged says more
		s.moveTo(p, p.url, p.browserOrigin)
	} else {
		s.moveTo(p, e.URL, e.Origin)
	}
}

func (s *State) pageOpened(e PageOpened) {
	if s.listed(e.Page) != nil {
		return
	}
	if s.pages[e.Page] != nil { // it is hidden
		s.pageClosed(e.Page)
	}
	n := s.numbers.opened(e.Page)
	n.Tab = cmp.Or(e.Tab, n.Tab)
	p := &page{Page: s.maker.Page(e.Page, n.Tab), times: n.times, epoch: e.Epoch, proxied: e.Proxied}
	p.Browser, p.url, p.title = e.Browser, e.URL, e.Title
	p.Origins = cmp.Or(e.Origins, p.Origins)
	p.locate()
	s.pages[p.ID] = p
	if p.hidden = s.options.Origins.IsOwn("", p.url); !p.hidden {
		s.list(p)
	}
}

// list makes a page one of those that catalogs show.
func (s *State) list(p *page) {
	p.Index = s.indexFor(p.ID)
	if s.options.StableIndex {
		p.Index = int(p.Tab) - 1
	}
	p.Active = s.options.Naming == offer.MCPBNames && s.front == p.ID
	p.shown = list{}
	if old := s.catalog.Tab(p.ID); old != nil { // the page comes back before the catalog shows that it went
		p.shown = list{old.Shown, old.Version}
	}
	s.line(p)
	s.touch(p)
}

// ranked returns the ranks of the open pages, and of those that an earlier State had and that haven't opened in s
// again.
func (s *State) ranked() map[PageID]int {
	all, last := maps.Clone(s.ranks), -1
	if all == nil {
		all = map[PageID]int{}
	}
	for _, rank := range all {
		last = max(last, rank)
	}
	for _, p := range s.order {
		if _, had := all[p.ID]; !had {
			last++
			all[p.ID] = last
		}
	}
	return all
}

// indexFor returns the index for a page that opens: after all others, unless an earlier State had the page before
// some of these.
func (s *State) indexFor(id PageID) int {
	rank, known := s.ranks[id]
	if !known {
		return len(s.order)
	}
	after := func(q *page) bool { r, had := s.ranks[q.ID]; return !had || r > rank }
	if i := slices.IndexFunc(s.order, after); i >= 0 {
		return i
	}
	return len(s.order)
}

// line inserts a new page at its index: at the end, unless it has come back to an index for life. Moving the pages
// behind takes 0.1 ms at most among 10,000, so a faster structure isn't worth it (BenchmarkOpenTabs).
func (s *State) line(p *page) {
	p.place, _ = slices.BinarySearchFunc(s.order, p.Index,
		func(q *page, index int) int { return cmp.Compare(q.Index, index) })
	s.order = slices.Insert(s.order, p.place, p)
	for _, q := range s.order[p.place+1:] {
		q.place++
		if !s.options.StableIndex { // p was opened before q, but s learns of p only now
			q.Index, q.dirty = q.place, true
			s.touch(q)
		}
		if q.place == s.options.MaxPages { // too many now
			q.dirty = true
			s.touch(q)
		}
	}
}

func (s *State) pageClosed(id PageID) {
	delete(s.ranks, id)
	p := s.pages[id]
	if p == nil {
		return
	}
	delete(s.pages, id)
	s.numbers.closed(id, tabNumber{p.Tab, p.times})
	if !p.hidden {
		s.unlist(p)
	}
}

// unlist removes a page from those that catalogs show.
func (s *State) unlist(p *page) {
	delete(s.ranks, p.ID)
	s.frontTaken(ActivatedByHub{p.ID, true})
	s.order = slices.DeleteFunc(s.order, func(q *page) bool { return q == p })
	s.release(p, p.hub.tools)
	s.stale = true
	// The next flush withdraws the tools that a catalog still shows, because they no longer belong to any page.
	for i, q := range s.order {
		if q.place == i {
			continue
		}
		q.place = i
		if !s.options.StableIndex {
			q.Index = i
		}
		if !s.options.StableIndex || i == s.options.MaxPages-1 {
			q.dirty = true
			s.touch(q)
		}
	}
}

// moveTo gives p an address, and the origin that the browser says it has. Names and descriptions depend on both.
func (s *State) moveTo(p *page, url, origin string) {
	from := p.Origin
	p.url, p.browserOrigin = url, origin
	p.locate()
	if p.Origins != nil && from != p.Origin {
		s.show(p, p.reported)
	}
	s.hideOrShow(p)
	s.touch(p)
}

// locate works out what depends on the page's address and origin.
func (p *page) locate() { p.dirty = p.Locate(p.url, p.browserOrigin) || p.dirty }

func (s *State) touch(p *page) {
	p.view = nil
	s.stale = true
}
