package offer

import (
	"slices"
	"strings"
)

// offerSet is what all pages offer besides tools. It is immutable.
type Set struct {
	version uint64        // of the catalog that had it first
	pages   []*PageOffers // in index order, those that offer something
	byPage  map[PageID]*PageOffers
	byName  [offerKinds]map[string]*Offer
	all     *PageOffers
	browser BrowserCapabilities // of all pages together
}

// Empty has nothing.
var Empty = NewSet(0, nil, BrowserCapabilities{})

// NewSet is what these pages offer, in their order. version is that of the catalog
// that has it first.
func NewSet(version uint64, pages []*PageOffers, browser BrowserCapabilities) *Set {
	s := &Set{version: version, pages: pages, byPage: map[PageID]*PageOffers{}, all: &PageOffers{}, browser: browser}
	for kind := range offerKinds {
		s.byName[kind] = map[string]*Offer{}
		for _, p := range pages {
			for _, o := range p.lists[kind] {
				s.byName[kind][o.Name] = o
			}
			s.all.lists[kind] = append(s.all.lists[kind], p.lists[kind]...)
		}
	}
	for _, p := range pages {
		s.byPage[p.Page] = p
	}
	s.all = s.all.sorted()
	return s
}

// PageOffers is what one page offers besides tools, or what all of them do. It is
// immutable; its pointer stays the same as long as what the page offers does.
type PageOffers struct {
	Page PageID // "" of all pages

	lists [offerKinds][]*Offer // in the order in which they were reported
	from  madeFrom
}

// Of lists the offers of one kind. Nil has none.
func (p *PageOffers) Of(kind OfferKind) []*Offer {
	if p == nil {
		return nil
	}
	return p.lists[kind]
}

// Each goes through all offers, kind by kind.
func (p *PageOffers) Each(yield func(*Offer) bool) {
	for kind := range offerKinds {
		for _, o := range p.Of(kind) {
			if !yield(o) {
				return
			}
		}
	}
}

// Differ says whether a client that was shown p would be shown others of that kind
// by q. Either may be nil.
func (p *PageOffers) Differ(q *PageOffers, kind OfferKind) bool {
	return !slices.EqualFunc(p.Of(kind), q.Of(kind), func(a, b *Offer) bool {
		return a == b || string(a.Encoded) == string(b.Encoded) && a.Server.Page == b.Server.Page &&
			a.Original == b.Original
	})
}

func (p *PageOffers) sorted() *PageOffers {
	n := &PageOffers{Page: p.Page}
	for kind, list := range p.lists {
		n.lists[kind] = slices.SortedFunc(slices.Values(list),
			func(a, b *Offer) int { return strings.Compare(a.Name, b.Name) })
	}
	return n
}

// Pages are those that offer something, in index order.
func (s *Set) Pages() []*PageOffers { return s.pages }

// Page is what one page offers, or nil, in the order in which it was reported.
func (s *Set) Page(id PageID) *PageOffers { return s.byPage[id] }

// Browser is what the open pages' MCP servers have said they have of MCP-B's
// capabilities: what any of them has.
func (s *Set) Browser() BrowserCapabilities { return s.browser }

// Version is the version of the catalog that had these offers first.
func (s *Set) Version() uint64 { return s.version }

// Offers are what a client is shown besides tools, sorted by name: everything for
// "", else what that page offers.
func (s *Set) Offers(page PageID) *PageOffers {
	if page == "" {
		return s.all
	}
	if p := s.byPage[page]; p != nil {
		return p.sorted()
	}
	return &PageOffers{Page: page}
}

// Size is how many offers there are.
func (s *Set) Size() (n int) {
	for _, list := range s.all.lists {
		n += len(list)
	}
	return n
}

// Offer gives the offer of a kind that has that name, or nil.
func (s *Set) Offer(kind OfferKind, name string) *Offer { return s.byName[kind][name] }
