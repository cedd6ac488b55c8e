package lens

import "webmcphub/registry"

// offers is what one client sees, and has read, of what pages offer besides
// tools.
type offers struct {
	catalog *registry.OfferCatalog // served last
	scope   Scope
	shown   registry.PageOffers
	version uint64 // counts what was shown
	read    struct {
		resources, templates, prompts history[*registry.OfferCatalog]
	}
}

// Scope says whose offers a client is shown.
type Scope struct {
	page    registry.PageID // "" means all pages'
	nothing bool            // no page's
}

// Sees says whether the client is shown what the page offers.
func (s Scope) Sees(page registry.PageID) bool {
	return !s.nothing && (s.page == "" || s.page == page)
}

// OffersServed gives the client a new catalog of offers.
func (l *Lens) OffersServed(c *registry.OfferCatalog) Changes {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offers.catalog = c
	return l.followOffers()
}

// followOffers brings what the client is shown up to date with the catalog and
// with its focus. mu must be held.
func (l *Lens) followOffers() (c Changes) {
	o := &l.offers
	if o.catalog == nil {
		return c
	}
	o.scope = Scope{}
	if l.look.mode == FocusedTab {
		tab := l.look.tab()
		if o.scope.nothing = tab == nil; tab != nil {
			o.scope.page = tab.Page
		}
	}
	var next registry.PageOffers
	if !o.scope.nothing {
		next = o.catalog.Offers(o.scope.page)
	}
	inResources, inPrompts := o.shown.Differ(next)
	o.shown = next
	if inResources || inPrompts {
		o.version++
	}
	if inResources {
		c.Resources = o.version
	}
	if inPrompts {
		c.Prompts = o.version
	}
	return c
}

// ShownOffers is what the client is shown now, and their version. tabs are the
// pages that there are; the catalog is what the client has read once it reads a
// list of them.
func (l *Lens) ShownOffers(tabs *registry.Catalog) (registry.PageOffers, *registry.OfferCatalog, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offers.shown, l.offers.catalog.With(tabs), l.offers.version
}

// OfferKind is what a list of offers is of.
type OfferKind int

const (
	Resources OfferKind = iota
	Templates
	Prompts
)

func (o *offers) of(kind OfferKind) *history[*registry.OfferCatalog] {
	switch kind {
	case Resources:
		return &o.read.resources
	case Templates:
		return &o.read.templates
	}
	return &o.read.prompts
}

// SawOffers takes note of a list that the client reads.
func (l *Lens) SawOffers(kind OfferKind, c *registry.OfferCatalog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offers.of(kind).saw(c, c.Version(), (*registry.OfferCatalog).Len)
}

// OffersNow gives the catalog by which the client's words are understood unless
// it has read another, see [Lens.KnowingOffer].
func (l *Lens) OffersNow(tabs *registry.Catalog) (*registry.OfferCatalog, Scope) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offers.catalog.With(tabs), l.offers.scope
}

// Sees says whether the client is shown what the page offers.
func (l *Lens) Sees(page registry.PageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offers.scope.Sees(page)
}

// KnowingOffer is the catalog by which the client knows a prompt's name, or a
// URI template, or nil.
func (l *Lens) KnowingOffer(kind OfferKind, knows func(*registry.OfferCatalog) bool) *registry.OfferCatalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offers.of(kind).knowing(knows)
}

// KnowingResource is the catalog by which the client knows a resource's URI, from
// the list of resources or by a template, or nil.
func (l *Lens) KnowingResource(uri string) *registry.OfferCatalog {
	listed := l.KnowingOffer(Resources, func(c *registry.OfferCatalog) bool { return c.HasResource(uri) })
	if listed != nil && listed.HasResource(uri) {
		return listed
	}
	fits := l.KnowingOffer(Templates, func(c *registry.OfferCatalog) bool { return c.Fits(uri) })
	if listed == nil || fits != nil && (fits.Fits(uri) || fits.Version() > listed.Version()) {
		return fits
	}
	return listed
}
