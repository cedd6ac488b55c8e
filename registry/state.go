package registry

import (
	"cmp"
	"maps"
	"slices"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Options are fixed for the life of a [State].
type Options struct {
	// MaxName is the longest tool name in bytes, from [names.MinMaxName];
	// 0 means [names.DefaultMaxName].
	MaxName int
	// StableIndex gives a page its index for life instead of its position
	// among the open pages.
	StableIndex bool
	// MaxTools is how many tools of one page are published; 0 means
	// [DefaultMaxTools].
	MaxTools int
	// MaxPages is how many pages' tools are published; 0 means
	// [DefaultMaxPages].
	MaxPages int
	// Settle holds back removals and re-additions until their page has been
	// quiet for the time between [ArmSettle] and [SettleDue]. What goes with
	// its document is never held back.
	Settle bool
	// Naming is the kind of names that tools get.
	Naming Naming
	// Origins says which documents may offer tools; nil permits all.
	Origins *names.Origins
	// Site gives the part of a host that its owner has registered, such as
	// example.co.uk of shop.example.co.uk, or "" if there is none, as of a public
	// suffix. It must always give the same. With nil no parent of a host counts as
	// its owner's.
	Site func(host string) string
	// Hints says whose claims that a tool is harmless are passed on; "" means
	// [HintsOfOwn].
	Hints HintPolicy
	// TrustHints are the origins whose claims are believed with [HintsOfTrusted];
	// nil is none.
	TrustHints *names.Origins
	// Before is how another State had the tabs of the same browser.
	Before TabsBefore
}

// What a State publishes at most, unless its options say otherwise. No person
// has so many; a hostile page might.
const (
	DefaultMaxTools = 2000
	DefaultMaxPages = 2000
)

// State is everything the hub knows about pages and their tools. Make one
// with [NewState]; it belongs to one goroutine.
type State struct {
	options Options
	ways    map[way]string // how each way to browsers stands that was told of
	browser string         // what to tell the agent about them, "" if one is well
	numbers tabNumbers

	pages map[PageID]*page
	order []*page // by index

	names   map[string]*page          // who holds each name, published or not
	wanted  map[string]map[*page]bool // who had to do without a name that others hold
	catalog *Catalog

	front PageID // the user's tab, "" if unknown; see front.go

	updates uint64                   // see page.updated
	cached  map[string][]*CachedTool // by site, see CacheChanged
	routes  routes

	sanitizeCache sanitize.Cache
	work          []*page // space for rename

	asked   []Effect // what Step is to return besides a flush's
	stale   bool     // something that catalogs show has changed since the last one
	cooling bool     // a flush happened less than an interval ago
}

// page is one open tab.
type page struct {
	id      PageID
	options *Options // the State's
	tabNumber
	place  int // in State.order
	index  int // in names: place, or with StableIndex a number for life
	epoch  Epoch
	gen    Gen
	url    string
	said   string // its origin, as the browser says; "" while that isn't known
	title  string
	state  string
	dialog string // as PageChanged.Dialog

	arrived bool // likewise

	proxied bool // see PageOpened

	moving bool // url is that of the document before
	frames []Frame

	settling

	naming  Naming
	site    string // see SiteOf; only with MCPBNames
	active  bool   // the user's tab; only with MCPBNames
	routed  seenByRoutes
	updated uint64 // State.updates when its tools changed last

	domain   string
	origin   string // of the main document, see DocumentOrigin
	host     string // as people read it, see PageHost
	tools    []*PageTool
	hub      []*HubTool // the tools as named now
	former   former
	labels   labels
	allPlain bool       // no tool is refused, and all have their plain names
	next     []*HubTool // during an edit
	shown    []*HubTool // those that the catalog publishes
	barred   []Refusal  // documents that may offer none, see permitted
	refused  []Refusal
	told     map[Refusal]bool // refusals already reported
	dirty    bool             // hub is out of date
	edited   bool             // it is, but for nothing else than the page's tools
	view     *Tab             // what the catalog shows, nil if out of date
	ranks    map[FrameID]int  // see frameRank
}

// NewState has no pages.
func NewState(o Options) *State {
	if o.MaxName == 0 {
		o.MaxName = names.DefaultMaxName
	}
	o.MaxName = max(o.MaxName, names.MinMaxName)
	o.MaxTools = cmp.Or(o.MaxTools, DefaultMaxTools)
	o.MaxPages = cmp.Or(o.MaxPages, DefaultMaxPages)
	return &State{
		options: o,
		ways:    map[way]string{},
		pages:   map[PageID]*page{},
		names:   map[string]*page{},
		wanted:  map[string]map[*page]bool{},
		catalog: EmptyCatalog(),
		numbers: o.Before.numbers(),
	}
}

// Anew makes a State to go on with when a Step has panicked, which leaves s
// in no certain order, or when the effects of one were lost. It knows what is
// published, which served, the last catalog that clients were told of, says; but
// no pages: its owner tells it of them again, in their order, gives it a
// [FlushDue] after that, and drops s. What pages still offer is then published
// as before.
func (s *State) Anew(served *Catalog) *State {
	n := NewState(s.options)
	n.browser, n.catalog, n.numbers, n.front = s.browser, served.at(s.catalog.version), s.numbers.anew(s.pages), s.front
	maps.Copy(n.ways, s.ways)
	n.updates, n.cached, n.routes = s.updates, s.cached, routesOf(served.routed)
	n.stale, n.cooling = true, true
	return n
}

// Catalog is the one served last.
func (s *State) Catalog() *Catalog { return s.catalog }

// Step takes one event and returns what is to be done, in order. The first
// change of the published tools after a quiet flush interval shows at once;
// later ones wait for [FlushDue], so that a storm costs one notification an
// interval.
func (s *State) Step(e Event) []Effect {
	if _, due := e.(FlushDue); due {
		s.cooling = false
	} else {
		s.apply(s.Heed(e))
	}
	effects := s.asked
	s.asked = nil
	if s.cooling || !s.stale {
		return effects
	}
	effects = append(effects, s.flush()...)
	if !slices.ContainsFunc(effects, changesTools) {
		return effects // nothing that a client can see, so the interval isn't spent
	}
	s.cooling = true
	return append(effects, ArmFlush{})
}

func changesTools(e Effect) bool {
	switch e.(type) {
	case Withdraw, Publish:
		return true
	}
	return false
}

func (s *State) apply(e Event) {
	switch e := e.(type) {
	case PageOpened:
		s.open(e)
	case PageClosed:
		s.close(e.Page)
	case BrowserChanged:
		s.reach(byDevTools, e.Status)
	case ExtensionChanged:
		s.reach(byExtension, e.Status)
	case PageChanged:
		p := s.pages[e.Page]
		if p == nil {
			return
		}
		url, said, moving := e.URL, e.Origin, false
		if url == "" {
			url, said, moving = p.url, p.said, p.moving
		}
		if p.url != url || p.said != said || p.title != e.Title || p.state != e.State || p.dialog != e.Dialog || p.arrived != e.Arrived || p.moving != moving {
			p.title, p.state, p.dialog, p.arrived, p.moving = e.Title, e.State, e.Dialog, e.Arrived, moving
			s.moveTo(p, url, said)
		}
	case Navigated:
		if p := s.pages[e.Page]; p != nil && e.Gen > p.gen {
			p.gen, p.tools, p.frames, p.former, p.barred = e.Gen, nil, nil, nil, nil
			p.unsettle()
			p.moving, p.dirty = e.URL == "", true
			if p.moving {
				s.moveTo(p, p.url, p.said)
			} else {
				s.moveTo(p, e.URL, e.Origin)
			}
		}
	case FramesReported:
		if p := s.pages[e.Page]; p != nil && e.Gen == p.gen && !slices.Equal(p.frames, e.Frames) {
			p.frames = e.Frames
			if p.on {
				s.show(p, p.held())
			}
			s.touch(p)
		}
	case ToolsReported:
		if p := s.pages[e.Page]; p != nil && e.Gen == p.gen && !slices.Equal(p.reported, e.Tools) {
			s.report(p, e.Tools)
		}
	case SettleDue:
		s.settleDue(e)
	case CacheChanged:
		s.cacheChanged(e)
	case PageShown:
		s.pageShown(e.Page)
	case FrontTaken:
		s.frontTaken(e)
	case FrontFound:
		s.frontFound(e.Page)
	}
}

func (s *State) open(e PageOpened) {
	if s.pages[e.Page] != nil {
		return
	}
	p := &page{id: e.Page, epoch: e.Epoch, tabNumber: s.numbers.opened(e.Page), index: len(s.order), url: e.URL, title: e.Title, proxied: e.Proxied}
	p.locate()
	if s.options.StableIndex {
		p.index = int(p.tab) - 1
	}
	p.begin(s)
	if old := s.catalog.Tab(e.Page); old != nil { // it comes back before the catalog shows that it went
		p.shown = old.shown
	}
	s.pages[p.id] = p
	s.line(p)
	s.stale = true
}

// line puts a new page where its index belongs: last, unless it has come back
// to an index for life.
func (s *State) line(p *page) {
	p.place, _ = slices.BinarySearchFunc(s.order, p.index, func(q *page, index int) int { return cmp.Compare(q.index, index) })
	s.order = slices.Insert(s.order, p.place, p)
	for _, q := range s.order[p.place+1:] {
		q.place++
		if q.place == s.options.MaxPages { // too many now
			q.dirty = true
			s.touch(q)
		}
	}
}

func (s *State) close(id PageID) {
	p := s.pages[id]
	if p == nil {
		return
	}
	delete(s.pages, id)
	s.numbers.closed(id, p.tabNumber)
	s.frontTaken(FrontTaken{id, true})
	s.order = slices.DeleteFunc(s.order, func(q *page) bool { return q == p })
	s.release(p)
	s.routes.touch(p.routed.site)
	s.stale = true
	// Tools that a catalog still shows are withdrawn at the next flush: they
	// are no longer any page's.
	for i, q := range s.order {
		if q.place == i {
			continue
		}
		q.place = i
		if !s.options.StableIndex {
			q.index = i
			s.touch(q)
		}
		if !s.options.StableIndex || i == s.options.MaxPages-1 {
			q.dirty = true
		}
	}
}

// moveTo gives p an address, and the origin that the browser says it has. Names
// and descriptions hang on both.
func (s *State) moveTo(p *page, url, said string) {
	from := p.origin
	p.url, p.said = url, said
	p.locate()
	p.moved()
	if s.options.Origins != nil && from != p.origin {
		s.show(p, p.reported)
	}
	s.touch(p)
}

// locate works out what hangs on the page's address and origin.
func (p *page) locate() {
	domain, origin, host := names.ExtractDomain(p.url), names.DocumentOrigin(p.said, p.url), names.PageHost(p.url, p.said)
	if domain != p.domain || origin != p.origin || host != p.host {
		p.domain, p.origin, p.host, p.dirty = domain, origin, host, true
	}
}

func (s *State) touch(p *page) {
	p.view = nil
	s.stale = true
}
