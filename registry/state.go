package registry

import (
	"cmp"
	"slices"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Options are fixed for the life of a [State].
type Options struct {
	// MaxName is the longest tool name in bytes, at least [names.MinMaxName]; 0 means [names.DefaultMaxName].
	MaxName int
	// StableIndex gives a page its index for life, instead of its position among the open pages.
	StableIndex bool
	// MaxTools is how many tools of one page are published; 0 means [DefaultMaxTools].
	MaxTools int
	// MaxPages is how many pages' tools are published; 0 means [DefaultMaxPages].
	MaxPages int
	// Settle holds back removals and re-additions until their page has been quiet for the time between [ArmSettle]
	// and [SettleDue]. The removal of tools that end with their document is never held back.
	Settle bool
	// Naming is the kind of names that tools get.
	Naming offer.Naming
	// Origins says which documents may offer tools, unless [PageOpened] has rules of its browser; nil permits all.
	Origins *names.Origins
	// Site returns the part of a host that its owner has registered, such as example.co.uk for shop.example.co.uk, or
	// "" if there is none, as for a public suffix. It must always return the same for a host. If Site is nil, no
	// parent of a host counts as its owner's.
	Site func(host string) string
	// Hints says whose claims that a tool is harmless are passed on; "" means [offer.HintsOfOwn].
	Hints offer.HintPolicy
	// TrustHints are the origins whose claims are believed with [offer.HintsOfTrusted]; nil means none.
	TrustHints *names.Origins
	// Pins says which of pages' tools a person has accepted; see [PinsChanged]. Nil accepts all, at no cost.
	Pins offer.Pins
	// Registrations is how many tools a page may register between [ArmRegistrations] and [RegistrationsDue]; 0 means
	// no limit.
	Registrations int
	// Before says how an earlier State had the tabs of the same browser.
	Before TabsBefore
}

// The defaults for how much a State publishes. No person has so many tools or pages; a hostile page might.
const (
	DefaultMaxTools = 2000
	DefaultMaxPages = 2000
)

// State is everything that the hub knows about pages and what they offer. Use [NewState] to make one. A State belongs
// to one goroutine.
type State struct {
	options       Options
	status        BrowserStates
	browserStatus *browserStatus // as catalogs have it
	open
	claims
	catalog *Catalog
	flushing

	front        PageID // the tab that the user looks at, "" if unknown; see front.go
	offerReports uint64 // counts the reports of offers with something new
	updates      uint64 // see page.updated
	lists        uint64 // see list.version
	brought      uint64 // counts the steps in which pages registered tools, see permitted.go
	sites        *offer.Sites
	maker        *offer.Maker
}

// open holds the pages that are open.
type open struct {
	pages   map[PageID]*page
	order   []*page        // those that are not hidden, by index
	ranks   map[PageID]int // order of the pages that the previous State knew; see Recover
	numbers tabNumbers
}

// flushing has what the next Step returns, and whether a flush is due.
type flushing struct {
	effects []Effect // effects that Step returns besides those of a flush
	stale   bool     // something that catalogs show has changed since the last flush
	cooling bool     // a flush happened less than an interval ago
}

// NewState returns a State with no pages.
func NewState(o Options) *State {
	if o.MaxName == 0 {
		o.MaxName = names.DefaultMaxName
	}
	o.MaxName = max(o.MaxName, names.MinMaxName)
	o.MaxTools = cmp.Or(o.MaxTools, DefaultMaxTools)
	o.MaxPages = cmp.Or(o.MaxPages, DefaultMaxPages)
	maker := offer.NewMaker(offer.Rules{Naming: o.Naming, MaxName: o.MaxName, Origins: o.Origins, Hints: o.Hints,
		TrustHints: o.TrustHints, Site: o.Site, Pins: o.Pins})
	return &State{
		options: o,
		open:    open{pages: map[PageID]*page{}, numbers: o.Before.numbers()},
		claims:  claims{names: map[string]*page{}, wanted: map[string]map[*page]bool{}},
		catalog: EmptyCatalog(),
		maker:   maker,
		sites:   offer.NewSites(maker),
	}
}

// Recover returns a State to go on with when a Step has panicked, which may leave s inconsistent, or when the effects
// of a Step were lost. The new State has the same tools as served, the last catalog that clients got, but no pages.
// Its owner gives it the events of all pages again, in any order, then a [FlushDue], and drops s. What pages still
// offer is then published as before.
func (s *State) Recover(served *Catalog) *State {
	n := NewState(s.options)
	n.status, n.browserStatus, n.catalog, n.numbers, n.front = s.status, s.browserStatus, served.at(s.catalog.version),
		s.numbers.recovered(s.pages), s.front
	n.offerReports, n.updates, n.lists, n.brought, n.sites = s.offerReports, s.updates, s.lists, s.brought,
		s.sites.Recover(n.maker, served.routed)
	n.stale, n.cooling = true, true
	n.ranks = s.ranked()
	return n
}

// Catalog returns the catalog that was served last.
func (s *State) Catalog() *Catalog { return s.catalog }

// Step applies one event and returns the effects, in the order in which the caller must carry them out. The first
// change of what is published after a quiet flush interval shows at once. Later changes wait for [FlushDue], so a
// storm of changes costs one notification per interval.
func (s *State) Step(e Event) []Effect {
	switch e := e.(type) {
	case FlushDue:
		s.cooling = false
	case EventBatch:
		for _, one := range e {
			s.apply(s.heed(one))
		}
	default:
		s.apply(s.heed(e))
	}
	effects := s.effects
	s.effects = nil
	if s.cooling || !s.stale {
		return effects
	}
	flushed, visible := s.flush()
	effects = append(effects, flushed...)
	if !visible {
		return effects // the next change may still show at once
	}
	s.cooling = true
	return append(effects, ArmFlush{})
}

func (s *State) apply(e Event) {
	switch e := e.(type) {
	case PageOpened:
		s.pageOpened(e)
	case PageClosed:
		s.pageClosed(e.Page)
	case BrowsersNamed:
		s.stands(s.status.Of(e.Browsers))
	case BrowserChanged:
		s.stands(s.status.With(e.Browser, e.Status))
	case ExtensionChanged:
		s.stands(s.status.WithExtension(e.Status))
	case PageChanged:
		s.pageChanged(e)
	case Navigated:
		s.navigated(e)
	case FramesReported:
		if p, frames := s.pages[e.Page], s.pages[e.Page].asShown(e.Frames); !slices.Equal(p.frames, frames) {
			p.frames = frames
			if p.on {
				s.show(p, p.held())
			}
			s.touch(p)
		}
	case ToolsReported:
		if p := s.pages[e.Page]; !slices.Equal(p.reported, e.Tools) {
			s.report(p, e.Tools)
		}
	case OffersReported:
		s.reportOffers(e)
	case ResourcesUpdated:
		s.effects = append(s.effects, e)
	case PageLogged:
		s.effects = append(s.effects, e)
	case TabsReopened:
		s.effects = append(s.effects, s.tabsReopened(e))
	case SettleDue:
		s.settleDue(e)
	case CacheChanged:
		s.sites.SetCached(e.Tools)
		s.stale = true
	case PinsChanged:
		s.judgeAgain(e)
	case RegistrationsDue:
		s.registrationsDue(e)
	case PageInFront:
		s.pageShown(e.Page)
	case ActivatedByHub:
		s.frontTaken(e)
	case FoundInFront:
		s.frontFound(e.Page)
	}
}

// stands records the browsers' current states.
func (s *State) stands(now BrowserStates) {
	s.status = now
	if is := (&browserStatus{now.Text(), now.Browsers()}); !is.same(s.browserStatus) {
		s.browserStatus, s.stale = is, true
	}
}
