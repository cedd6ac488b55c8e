package registry

import (
	"slices"
	"strings"
)

// offerSet is what all pages offer besides tools. It is immutable.
type offerSet struct {
	version uint64        // of the catalog that had it first
	pages   []*PageOffers // in index order, those that offer something
	byPage  map[PageID]*PageOffers
	byName  [offerKinds]map[string]*Offer
	all     *PageOffers
	browser BrowserCapabilities // of all pages together
}

var noOffers = newOfferSet(0, nil, BrowserCapabilities{})

func newOfferSet(version uint64, pages []*PageOffers, browser BrowserCapabilities) *offerSet {
	s := &offerSet{version: version, pages: pages, byPage: map[PageID]*PageOffers{}, all: &PageOffers{}, browser: browser}
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

// each goes through all offers, kind by kind.
func (p *PageOffers) each(yield func(*Offer) bool) {
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
		return a == b || string(a.Encoded) == string(b.Encoded) && a.Server.Page == b.Server.Page && a.Original == b.Original
	})
}

func (p *PageOffers) sorted() *PageOffers {
	n := &PageOffers{Page: p.Page}
	for kind, list := range p.lists {
		n.lists[kind] = slices.SortedFunc(slices.Values(list), func(a, b *Offer) int { return strings.Compare(a.Name, b.Name) })
	}
	return n
}

func (c *Catalog) offered() *offerSet {
	if c.offers == nil {
		return noOffers
	}
	return c.offers
}

// Offers are what a client is shown besides tools, sorted by name: everything for
// "", else what that page offers.
func (c *Catalog) Offers(page PageID) *PageOffers {
	if page == "" {
		return c.offered().all
	}
	if p := c.offered().byPage[page]; p != nil {
		return p.sorted()
	}
	return &PageOffers{Page: page}
}

// OffersVersion grows with each catalog that has other offers than the one before.
func (c *Catalog) OffersVersion() uint64 { return c.offered().version }

// SameOffers says that two catalogs have the same offers.
func (c *Catalog) SameOffers(o *Catalog) bool { return c.offered() == o.offered() }

// Size is how many tools and offers it has.
func (c *Catalog) Size() int {
	n := c.Len()
	for _, list := range c.offered().all.lists {
		n += len(list)
	}
	return n
}
