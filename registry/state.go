package registry

import (
	"cmp"
	"maps"
	"slices"
)

// Options are fixed for the life of a [State].
type Options struct {
	// MaxName is the longest tool name in bytes, from [MinMaxName];
	// 0 means [DefaultMaxName].
	MaxName int
	// StableIndex gives a page its index for life instead of its position
	// among the open pages.
	StableIndex bool
	// Manual starts with publishing switched off, see [AutoRegister].
	Manual bool
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
	publish bool   // page tools are published
	browser string // what to tell the agent about Chrome, "" if all is well
	nextTab TabID

	pages map[PageID]*page
	order []*page // by index

	names   map[string]*page          // who holds each name, published or not
	wanted  map[string]map[*page]bool // who had to do without a name that others hold
	catalog *Catalog

	known map[PageID]TabID // pages of the state before, see Anew
	front PageID           // the user's tab, "" if unknown; see front.go

	laundry laundry
	work    []*page // space for rename

	asked   []Effect // what Step is to return besides a flush's
	stale   bool     // something that catalogs show has changed since the last one
	cooling bool     // a flush happened less than an interval ago
}

// page is one open tab.
type page struct {
	id    PageID
	tab   TabID
	place int // in State.order
	index int // in names: place, or with StableIndex a number for life
	gen   Gen
	url   string
	title string
	state string

	moving bool // url is that of the document before
	frames []Frame

	settling

	domain   string
	tools    []*PageTool
	hub      []*HubTool // the tools as named now
	former   former
	labels   labels
	allPlain bool       // no tool is refused, and all have their plain names
	next     []*HubTool // during an edit
	shown    []*HubTool // those that the catalog publishes
	refused  []Refusal
	said     map[Refusal]bool // refusals already reported
	dirty    bool             // hub is out of date
	edited   bool             // it is, but for nothing else than the page's tools
	view     *Tab             // what the catalog shows, nil if out of date
	ranks    map[FrameID]int  // see frameRank
}

// NewState has no pages.
func NewState(o Options) *State {
	if o.MaxName == 0 {
		o.MaxName = DefaultMaxName
	}
	o.MaxName = max(o.MaxName, MinMaxName)
	o.MaxTools = cmp.Or(o.MaxTools, DefaultMaxTools)
	o.MaxPages = cmp.Or(o.MaxPages, DefaultMaxPages)
	return &State{
		options: o,
		publish: !o.Manual,
		pages:   map[PageID]*page{},
		names:   map[string]*page{},
		wanted:  map[string]map[*page]bool{},
		catalog: EmptyCatalog(),
	}
}

// Anew makes a State to go on with when a Step has panicked, which leaves s
// in no certain order. It knows what is published, but no pages: its owner
// tells it of them again, in their order, gives it a [FlushDue] after that, and
// drops s. What pages still offer is then published as before.
func (s *State) Anew() *State {
	n := NewState(s.options)
	n.publish, n.browser, n.catalog, n.nextTab, n.front = s.publish, s.browser, s.catalog, s.nextTab, s.front
	n.stale, n.cooling = true, true
	n.known = s.known
	if n.known == nil {
		n.known = map[PageID]TabID{}
	}
	for id, p := range s.pages {
		n.known[id] = p.tab
	}
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
		s.apply(e)
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
		if s.browser != e.Status {
			s.browser, s.stale = e.Status, true
		}
	case AutoRegister:
		if s.publish != e.On {
			s.publish, s.stale = e.On, true
		}
	case PageChanged:
		p := s.pages[e.Page]
		if p == nil {
			return
		}
		url, moving := cmp.Or(e.URL, p.url), p.moving && e.URL == ""
		if p.url != url || p.title != e.Title || p.state != e.State || p.moving != moving {
			p.title, p.state, p.moving = e.Title, e.State, moving
			s.moveTo(p, url)
		}
	case Navigated:
		if p := s.pages[e.Page]; p != nil && e.Gen > p.gen {
			p.gen, p.tools, p.frames, p.former = e.Gen, nil, nil, nil
			p.unsettle()
			p.moving, p.dirty = e.URL == "", true
			s.moveTo(p, cmp.Or(e.URL, p.url))
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
	case PageShown:
		s.pageShown(e.Page)
	case FrontTaken:
		s.frontTaken(e)
	}
}

func (s *State) open(e PageOpened) {
	if s.pages[e.Page] != nil {
		return
	}
	tab := s.known[e.Page]
	if tab == 0 {
		s.nextTab++
		tab = s.nextTab
	}
	delete(s.known, e.Page)
	p := &page{id: e.Page, tab: tab, place: len(s.order), index: len(s.order), url: e.URL, title: e.Title, domain: ExtractDomain(e.URL)}
	if s.options.StableIndex {
		p.index = int(p.tab) - 1
	}
	if old := s.catalog.Tab(e.Page); old != nil { // it comes back before the catalog shows that it went
		p.shown = old.shown
	}
	s.pages[p.id] = p
	s.order = append(s.order, p)
	s.stale = true
}

func (s *State) close(id PageID) {
	p := s.pages[id]
	if p == nil {
		return
	}
	delete(s.pages, id)
	s.frontTaken(FrontTaken{id, true})
	s.order = slices.DeleteFunc(s.order, func(q *page) bool { return q == p })
	s.release(p)
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

// moveTo gives p an address. Names and descriptions hang on its domain.
func (s *State) moveTo(p *page, url string) {
	p.url = url
	if d := ExtractDomain(url); d != p.domain {
		p.domain, p.dirty = d, true
	}
	s.touch(p)
}

func (s *State) touch(p *page) {
	p.view = nil
	s.stale = true
}

// flush brings names and catalog up to date and says what changed.
func (s *State) flush() (effects []Effect) {
	s.stale = false
	effects = s.rename()

	var before, after map[string]*HubTool // what differs
	s.eachChanged(func(was, is []*HubTool) {
		if before == nil {
			before, after = map[string]*HubTool{}, map[string]*HubTool{}
		}
		was, is = trimmed(was, is)
		for _, t := range was {
			before[t.Name] = t
		}
		for _, t := range is {
			after[t.Name] = t
		}
	})
	if before == nil && s.upToDate() {
		return effects
	}
	changed := map[PageID]bool{}
	var withdraw []string
	var publish []*HubTool
	for name, t := range before {
		if after[name] == nil {
			withdraw = append(withdraw, name)
			changed[t.Route.Page] = true
		}
	}
	for name, t := range after {
		old := before[name]
		if old == t {
			continue
		}
		publish = append(publish, t)
		if old == nil || string(old.Encoded) != string(t.Encoded) || !sameTool(old, t) {
			changed[t.Route.Page] = true
		}
		if old != nil && old.Route.Page != t.Route.Page {
			changed[old.Route.Page] = true // it lost the name
		}
	}
	slices.Sort(withdraw)
	slices.SortFunc(publish, func(a, b *HubTool) int { return cmp.Compare(a.Name, b.Name) })

	s.catalog = s.catalog.next(withdraw, publish, s.tabs(), s.browser)
	if withdraw != nil {
		effects = append(effects, Withdraw{withdraw})
	}
	if publish != nil {
		effects = append(effects, Publish{publish})
	}
	effects = append(effects, Serve{s.catalog})
	if len(changed) > 0 {
		effects = append(effects, NotifyListChanged{s.inOrder(changed)})
	}
	return effects
}

// upToDate says that the catalog shows all there is to show.
func (s *State) upToDate() bool {
	return s.catalog.browser == s.browser && len(s.catalog.tabs) == len(s.order) &&
		!slices.ContainsFunc(s.order, func(p *page) bool { return p.view == nil })
}

// eachChanged visits the pages whose published tools differ from what the
// catalog publishes, closed ones included, and takes note of the new state.
func (s *State) eachChanged(visit func(was, is []*HubTool)) {
	for _, tab := range s.catalog.tabs {
		if len(tab.shown) > 0 && s.pages[tab.Page] == nil {
			visit(tab.shown, nil)
		}
	}
	for _, p := range s.order {
		is := p.hub
		if !s.publish {
			is = nil
		}
		if !sameList(p.shown, is) {
			visit(p.shown, is)
			p.shown = is
			p.view = nil
		}
	}
}

// sameList is slices.Equal that needs not look at lists that are one.
func sameList(a, b []*HubTool) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// trimmed leaves out what two lists have in common at their beginning and end.
func trimmed(a, b []*HubTool) ([]*HubTool, []*HubTool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// tabs gives the catalog's view of all pages, reusing those that are unchanged.
func (s *State) tabs() []*Tab {
	tabs := make([]*Tab, len(s.order))
	for i, p := range s.order {
		if p.view == nil {
			p.view = &Tab{Page: p.id, ID: p.tab, Index: p.index, URL: p.url, Title: p.title, State: p.state, Tools: p.hub, Refused: p.refused, shown: p.shown, gen: p.gen, moving: p.moving, frames: p.frames}
		}
		tabs[i] = p.view
	}
	return tabs
}

// inOrder lists pages by index, closed ones first.
func (s *State) inOrder(set map[PageID]bool) []PageID {
	rank := func(id PageID) int {
		if p := s.pages[id]; p != nil {
			return p.index
		}
		return -1
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b PageID) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}
