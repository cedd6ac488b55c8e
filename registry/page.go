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
	times   int // how often it was opened, in the hub's eyes
	epoch   Epoch
	proxied bool // see PageOpened
	address
	condition
	documents
	updated uint64 // State.updates when its tools changed last; only with MCPBNames

	settling
	tools  []*PageTool // what is shown of what the page reported
	offers reportedOffers
	published
	refusals
	pace
}

// address is where a page is.
type address struct {
	url  string
	said string // its origin, as the browser says; "" while that isn't known
}

// condition is what a page is like, as PageChanged has it.
type condition struct {
	title, state, dialog string
	arrived              bool
	readiness            Readiness
}

// documents are those that a page shows.
type documents struct {
	moving bool    // the page's address is that of the document before
	frames []Frame // as in FramesReported
}

// published is what comes of a page's tools.
type published struct {
	hub             list // the tools as named now
	shown           list // those that the catalog publishes
	view            *Tab // what the catalog shows, nil if out of date
	recentlyRemoved recentlyRemoved
	dirty           bool            // hub is out of date
	edited          bool            // the page's tools have changed; if not dirty, nothing else has
	ranks           map[FrameID]int // see frameRank
	allPlain        bool            // no tool is refused, and all have their plain names
	next            []*HubTool      // from compare to nameTools: the hub tools that stay, nil for others
}

// list is tools in an order. It is immutable: two of one version are the same, and
// a later list is of a higher one; that of none at all is 0.
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

// refusals are what of a page can't be published.
type refusals struct {
	barred   []offer.Refusal // documents that may offer nothing, see permitted
	refused  []offer.Refusal
	told     told
	withheld []*offer.Held // those that wait for a person; refused has them, too
}

func (s *State) pageChanged(e PageChanged) {
	p := s.pages[e.Page]
	if p == nil {
		return
	}
	url, said, moving := e.URL, e.Origin, false
	if url == "" {
		url, said, moving = p.url, p.said, p.moving
	}
	now := condition{e.Title, e.State, e.Dialog, e.Arrived, e.Readiness}
	if p.url != url || p.said != said || p.condition != now || p.moving != moving {
		p.condition, p.moving = now, moving
		s.moveTo(p, url, said)
	}
}

func (s *State) navigated(e Navigated) {
	p := s.pages[e.Page]
	p.Gen, p.documents = e.Gen, documents{moving: e.URL == ""}
	p.tools, p.recentlyRemoved, p.barred, p.over, p.dirty = nil, nil, nil, nil, true
	p.unsettle()
	if p.moving {
		s.moveTo(p, p.url, p.said)
	} else {
		s.moveTo(p, e.URL, e.Origin)
	}
}

func (s *State) pageOpened(e PageOpened) {
	if s.pages[e.Page] != nil {
		return
	}
	n := s.numbers.opened(e.Page)
	n.Tab = cmp.Or(e.Tab, n.Tab)
	p := &page{Page: s.maker.Page(e.Page, n.Tab), times: n.times, epoch: e.Epoch, proxied: e.Proxied}
	p.Browser, p.Index, p.url, p.title = e.Browser, s.indexFor(e.Page), e.URL, e.Title
	p.Origins = cmp.Or(e.Origins, p.Origins)
	if s.options.StableIndex {
		p.Index = int(p.Tab) - 1
	}
	p.Active = s.options.Naming == offer.MCPBNames && s.front == p.ID
	p.locate()
	if old := s.catalog.Tab(e.Page); old != nil { // it comes back before the catalog shows that it went
		p.shown = list{old.Shown, old.Version}
	}
	s.pages[p.ID] = p
	s.line(p)
	s.stale = true
}

// ranked are the ranks of the pages that are open, and of those that s has not been told of
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

// indexFor is the number of a page that is opened: after all others, unless a State before
// had it among these.
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

// line puts a new page where its index belongs: last, unless it has come back
// to an index for life. It moves the pages behind, which takes 0.1 ms at most among 10,000: a faster structure isn't
// worth it (BenchmarkOpenTabs).
func (s *State) line(p *page) {
	p.place, _ = slices.BinarySearchFunc(s.order, p.Index,
		func(q *page, index int) int { return cmp.Compare(q.Index, index) })
	s.order = slices.Insert(s.order, p.place, p)
	for _, q := range s.order[p.place+1:] {
		q.place++
		if !s.options.StableIndex { // p was told of later than it was opened
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
	s.frontTaken(FrontTaken{id, true})
	s.order = slices.DeleteFunc(s.order, func(q *page) bool { return q == p })
	s.release(p, p.hub.tools)
	s.stale = true
	// Tools that a catalog still shows are withdrawn at the next flush: they
	// are no longer any page's.
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

// moveTo gives p an address, and the origin that the browser says it has. Names
// and descriptions hang on both.
func (s *State) moveTo(p *page, url, said string) {
	from := p.Origin
	p.url, p.said = url, said
	p.locate()
	if p.Origins != nil && from != p.Origin {
		s.show(p, p.reported)
	}
	s.touch(p)
}

// locate works out what hangs on the page's address and origin.
func (p *page) locate() { p.dirty = p.Locate(p.url, p.said) || p.dirty }

func (s *State) touch(p *page) {
	p.view = nil
	s.stale = true
}
