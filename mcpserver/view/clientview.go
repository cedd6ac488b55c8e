package view

import (
	"cmp"
	"sync"

	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/offer"
)

// ClientView holds what one client sees of the hub: the tab that it has focused, the lists that follow from that, and
// what it has read of those lists. The hub resolves the names that the client uses by what the client has read. Any
// goroutine may use a ClientView; none of its methods blocks.
type ClientView struct {
	mu       sync.Mutex
	settings Settings // only Unlisted ever changes
	look     look
	read     read
	paging   paging
	offers   offers

	surface surface
}

// Setup holds the initial state of a ClientView.
type Setup struct {
	// Longest is the length in bytes of the longest tool name that the hub gives clients that see all tabs.
	Longest int
	Served  *ServedCatalog
	// Own are the hub's own tools that the client has; nil means those of Served.
	Own *Own
	// For is as in [focus.Focus].
	For registry.VisibleTools
	// Reserved is as in [focus.Focus].
	Reserved []string
	// Core makes the list of a client in focus mode.
	Core func(*focus.View) Listing
}

// New returns the ClientView of a client with settings v.
func New(v Settings, s Setup) *ClientView {
	l := &ClientView{settings: v, look: look{
		mode: v.Mode, longest: s.Longest, core: s.Core, own: cmp.Or(s.Own, s.Served.own), version: 1,
		focus: focus.Focus{MaxName: v.MaxName, For: s.For, Reserved: s.Reserved}, moved: make(chan struct{}, 1),
	}}
	l.surface = newSurface(v)
	l.look.listOptions = l.look.listOptionsOf(v)
	l.read.listOptions = l.look.listOptions
	l.look.now = s.Served.WithOptions(l.look.listOptions, l.look.own)
	l.look.follow()
	l.offers.read = map[offer.OfferKind]*history[*registry.Catalog]{}
	l.followOffers() // the client knows no earlier list, so nobody announces a change
	return l
}

// Changes are the new versions of those of the client's lists that changed; 0 means no change.
type Changes struct{ Tools, Resources, Prompts uint64 }

// look describes the tools that the hub shows the client now.
type look struct {
	mode        Mode
	longest     int
	core        func(*focus.View) Listing
	own         *Own
	focus       focus.Focus
	now         *ServedCatalog // the catalog of the last step of focus
	listOptions registry.ListOptions
	version     uint64 // version of the client's list: the catalog's version, or in focus mode a count of its own
	list        func() Listing
	shown       *focus.View   // nil until it is needed
	moved       chan struct{} // receives after the client's place has changed, or may have
	// resuming is the place that the client had with another server, while it can't be restored yet; nil otherwise.
	resuming *Place
}

// listOptionsOf returns the options by which a client with settings v sees catalogs.
func (l *look) listOptionsOf(v Settings) registry.ListOptions {
	sight := registry.ListOptions{Unlisted: v.Unlisted}
	if v.Mode == AllTabs && v.MaxName < l.longest { // in focus mode names are made for each client anyway
		sight.MaxName = v.MaxName
	}
	return sight
}

// step applies an event to the focus, and reports whether the client's list is a different one now.
func (l *look) step(e focus.Event) (changed bool) {
	l.shown = nil
	changed = l.focus.Step(l.now.Catalog, e) && l.mode == FocusedTab
	if changed {
		l.version++
		l.list = nil
	}
	l.touch()
	return changed
}

// touch notes that the client's place may have changed.
func (l *look) touch() {
	select {
	case l.moved <- struct{}{}:
	default:
	}
}

// follow brings the focus up to date with the current catalog. A client that sees all tabs needs no connect_browser.
func (l *look) follow() (changed bool) {
	l.shown = nil
	if l.mode == AllTabs {
		changed = l.step(focus.Connect{})
	} else {
		changed = l.step(focus.CatalogChanged{})
	}
	return l.resume() || changed
}

// view returns the client's focus view.
func (l *look) view() *focus.View {
	if l.shown == nil {
		v := l.focus.View(l.now.Catalog)
		l.shown = &v
	}
	return l.shown
}

// tab returns the focused tab, or nil.
func (l *look) tab() *registry.Tab { return l.focus.Tab(l.now.Catalog) }

// Settings returns the client's settings.
func (l *ClientView) Settings() Settings {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settings
}

// Served gives the client a new catalog. pages reports that the published tools of some pages changed.
func (l *ClientView) Served(now *ServedCatalog, pages bool) (c Changes) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := &l.look
	k.now = now.WithOptions(k.listOptions, k.own)
	changed := k.follow()
	c = l.followOffers()
	switch {
	case k.listOptions.Unlisted && k.mode == AllTabs: // its list never changes
	case k.mode == FocusedTab && changed:
		c.Tools = k.version
	case k.mode == AllTabs && pages && l.surface.announces(k.now.Exceeds):
		c.Tools = now.Catalog.Version()
	}
	return c
}

// SetListing switches the listing of page tools on or off. now is the current catalog. anew reports that the client's
// list is now different from every list that it has read.
func (l *ClientView) SetListing(on bool, now *ServedCatalog) (c Changes, anew bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.settings.Unlisted == !on {
		return c, false
	}
	l.settings.Unlisted = !on
	k := &l.look
	k.listOptions = k.listOptionsOf(l.settings)
	k.now = now.WithOptions(k.listOptions, k.own)
	changed := k.follow()
	switch {
	case k.mode == FocusedTab && changed:
		c.Tools = k.version
	case k.mode == AllTabs:
		l.read.listOptions = k.listOptions
		if l.surface.kind != Static {
			c.Tools, anew = k.now.Catalog.Version(), true
		}
	}
	return c, anew
}

// Step applies an event to the client's focus. It returns what the client is shown then, and what the client has seen
// once it reads an answer that shows this.
func (l *ClientView) Step(e focus.Event) (shown focus.View, seen Seen, c Changes) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, stays := e.(focus.Connect); !stays {
		l.look.resuming = nil // the client has chosen another place
	}
	changed := l.look.step(e)
	c = l.followOffers()
	if changed {
		c.Tools = l.look.version
	}
	shown, seen = l.showing()
	return shown, seen, c
}

// Shown returns what the client is shown now, and what it has seen once it reads an answer that shows this.
func (l *ClientView) Shown() (focus.View, Seen) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.showing()
}

func (l *ClientView) showing() (focus.View, Seen) {
	return *l.look.view(), Seen{focus: l.look.view(), version: l.look.version}
}

// Catalog returns the catalog that is served now, as the client sees it.
func (l *ClientView) Catalog(now *ServedCatalog) *ServedCatalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now.WithOptions(l.look.listOptions, l.look.own)
}

// Listing returns the client's list as it is now, and what the client has seen once it reads the list.
func (l *ClientView) Listing() (Listing, Seen) {
	list, seen, _ := l.listing()
	return list, seen
}

// listing does what Listing does. static reports that the list is the static one.
func (l *ClientView) listing() (all Listing, seen Seen, static bool) {
	l.mu.Lock()
	k := &l.look
	if k.mode == AllTabs {
		now, sight, as := k.now, k.listOptions, l.surface
		l.mu.Unlock()
		seen = Seen{Catalog: now.Catalog, list: true, version: now.Catalog.Version(), listOptions: sight}
		if static = as.shown == Static; static {
			seen.Catalog = nil // the static list shows no page's tools
		}
		return as.list(now), seen, static
	}
	if k.list == nil {
		shown := k.view()
		k.list = sync.OnceValue(func() Listing { return k.core(shown) })
	}
	list := k.list
	seen = Seen{Catalog: k.now.Catalog, list: true, version: k.version, listOptions: k.listOptions, focus: k.view()}
	l.mu.Unlock()
	return list(), seen, false
}
