package offer

import (
	"slices"
	"strings"
)

// Set is what all pages offer besides tools. It is immutable.
type Set struct {
	version uint64        // of the catalog that had it first
	pages   []*PageOffers // pages that offer something, in index order
	byPage  map[PageID]*PageOffers
	byName  [offerKinds]map[string]*Offer
	all     *PageOffers
	browser BrowserCapabilities // of all pages together
}

// Empty is a Set with no offers.
var Empty = NewSet(0, nil, BrowserCapabilities{})

// NewSet returns the Set of these pages' offers, in their order. version is the version of the catalog that has the
// Set first.
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

// PageOffers is what one page, or all pages together, offer besides tools. It is immutable, and its pointer stays the
// same while the offers stay the same.
type PageOffers struct {
	Page PageID // "" for all pages

	lists [offerKinds][]*Offer // in the order in which they were reported
	from  madeFrom
}

// Of returns the offers of one kind. p may be nil.
func (p *PageOffers) Of(kind OfferKind) []*Offer {
	if p == nil {
		return nil
	}
	return p.lists[kind]
}

// Each yields all offers, kind by kind.
func (p *PageOffers) Each(yield func(*Offer) bool) {
	for kind := range offerKinds {
		for _, o := range p.Of(kind) {
			if !yield(o) {
				return
			}
		}
	}
}

// Differ reports whether a client would see different offers of that kind in q than in p. Either may be nil.
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

// Pages returns the pages that offer something, in index order.
func (s *Set) Pages() []*PageOffers { return s.pages }

// Page returns what one page offers, in the order in which it was reported, or nil.
func (s *Set) Page(id PageID) *PageOffers { return s.byPage[id] }

// Browser returns the MCP-B capabilities that any of the open pages' MCP servers has declared.
func (s *Set) Browser() BrowserCapabilities { return s.browser }

// Version returns the version of the catalog that had these offers first.
func (s *Set) Version() uint64 { return s.version }

// Offers returns what a client sees besides tools, sorted by name: what page offers, or everything for "".
func (s *Set) Offers(page PageID) *PageOffers {
	if page == "" {
		return s.all
	}
	if p := s.byPage[page]; p != nil {
		return p.sorted()
	}
	return &PageOffers{Page: page}
}

// Size returns the number of offers.
func (s *Set) Size() (n int) {
	for _, list := range s.all.lists {
		n += len(list)
	}
	return n
}

// Offer returns the offer of a kind with that name, or nil.
func (s *Set) Offer(kind OfferKind, name string) *Offer { return s.byName[kind][name] }
