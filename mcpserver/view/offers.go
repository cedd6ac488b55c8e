package view

import (
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// offers holds what one client sees, and has read, of the pages' resources, templates and prompts.
type offers struct {
	of      *registry.Catalog // the catalog whose offers the client sees; nil before the first
	scope   Scope
	shown   *offer.PageOffers
	version uint64 // counts the changes of shown
	read    map[offer.OfferKind]*history[*registry.Catalog]
}

// Scope limits the offers that a client sees to those of some pages.
type Scope struct {
	page    registry.PageID // "" means all pages
	nothing bool            // no page's offers
}

// Sees reports whether the client sees what the page offers.
func (s Scope) Sees(page registry.PageID) bool {
	return !s.nothing && (s.page == "" || s.page == page)
}

// followOffers brings the offers that the client sees up to date with the catalog and the focus. mu must be held.
func (l *ClientView) followOffers() (c Changes) {
	o, now := &l.offers, l.look.now.Catalog
	scope := Scope{}
	if l.look.mode == FocusedTab {
		tab := l.look.tab()
		if scope.nothing = tab == nil; tab != nil {
			scope.page = tab.Page
		}
	}
	if o.of != nil && o.scope == scope && now.Offered() == o.of.Offered() {
		return c // the usual case
	}
	var next *offer.PageOffers
	if !scope.nothing {
		next = now.Offered().Offers(scope.page)
	}
	inResources := o.shown.Differ(next, offer.Resource) || o.shown.Differ(next, offer.ResourceTemplate)
	inPrompts := o.shown.Differ(next, offer.Prompt)
	o.of, o.scope, o.shown = now, scope, next
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

// ShownOffers returns the offers of a kind that the client is shown now, and the list's version. The catalog is what
// the client has read once it reads this list.
func (l *ClientView) ShownOffers(kind offer.OfferKind) ([]*offer.Offer, *registry.Catalog, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offers.shown.Of(kind), l.look.now.Catalog, l.offers.version
}

// SawOffers notes that the client has read a list.
func (l *ClientView) SawOffers(kind offer.OfferKind, c *registry.Catalog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.offers.read[kind]
	if h == nil {
		h = new(history[*registry.Catalog])
		l.offers.read[kind] = h
	}
	h.saw(c, c.Offered().Version(), (*registry.Catalog).Size)
}

// OffersNow returns the current catalog and the client's scope. The hub resolves the client's names by this catalog
// unless the client has read another one, see [ClientView.KnowingOffer].
func (l *ClientView) OffersNow() (*registry.Catalog, Scope) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.look.now.Catalog, l.offers.scope
}

// Sees reports whether the client sees what the page offers.
func (l *ClientView) Sees(page registry.PageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offers.scope.Sees(page)
}

// KnowingOffer returns the catalog by which the client knows a prompt's name or a URI template, or nil.
func (l *ClientView) KnowingOffer(kind offer.OfferKind, name string) *registry.Catalog {
	return l.knowing(kind, func(c *registry.Catalog) bool { return c.Offered().Offer(kind, name) != nil })
}

func (l *ClientView) knowing(kind offer.OfferKind, knows func(*registry.Catalog) bool) *registry.Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := l.offers.read[kind]; h != nil {
		return h.knowing(knows)
	}
	return nil
}

// KnowingResource returns the catalog by which the client knows a resource's URI, from the list of resources or
// through a template, or nil.
func (l *ClientView) KnowingResource(uri string) *registry.Catalog {
	listed := l.KnowingOffer(offer.Resource, uri)
	if listed != nil && listed.Offered().Offer(offer.Resource, uri) != nil {
		return listed
	}
	fits := l.knowing(offer.ResourceTemplate, func(c *registry.Catalog) bool { return c.Offered().Fits(uri) })
	if listed == nil || fits != nil &&
		(fits.Offered().Fits(uri) || fits.Offered().Version() > listed.Offered().Version()) {
		return fits
	}
	return listed
}
