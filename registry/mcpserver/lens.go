package mcpserver

import (
	"sync"

	"webmcphub/registry"
	"webmcphub/registry/advice"
)

// Mode says which tools a client's list has.
type Mode string

const (
	// AllTabs lists every tool of every page.
	AllTabs Mode = "all"
	// FocusedTab lists the tools of the tab that the client has focused.
	FocusedTab Mode = "focus"
)

// lens is through which one client looks at the catalog: which tab it has
// focused and, in focus mode, the list that follows from it. It belongs to the
// outbox.
type lens struct {
	mode    Mode
	focus   registry.Focus
	now     *served // what focus was stepped with last
	sight   registry.Sight
	version uint64 // of the client's list: the catalog's, or in focus mode our own count
	list    func() listing
	shown   *registry.FocusView // nil until somebody asks
}

// step tells the focus what happened, and says whether the client's list is
// another one now.
func (l *lens) step(e registry.FocusEvent) (changed bool) {
	l.shown = nil
	changed = l.focus.Step(l.now.catalog, e) && l.mode == FocusedTab
	if changed {
		l.version++
		l.list = nil
	}
	return changed
}

// view is what the client is shown now.
func (l *lens) view() *registry.FocusView {
	if l.shown == nil {
		v := l.focus.View(l.now.catalog, nil)
		l.shown = &v
	}
	return l.shown
}

// open sets the session's lens at its start; to is as in [registry.Focus.For].
func (o *outbox) open(sight registry.Sight, now *served, to advice.Audience) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lens = lens{mode: o.view.Mode, sight: sight, now: now.as(sight), version: 1, focus: registry.Focus{MaxName: o.view.MaxName, For: to}}
	o.views.sight = sight
	o.follow()
}

// follow steps the focus to the lens's catalog. Where all tabs are shown,
// clients needn't connect. mu must be held.
func (o *outbox) follow() (changed bool) {
	if o.lens.mode == AllTabs {
		return o.lens.step(registry.Connect{})
	}
	return o.lens.step(registry.CatalogChanged{})
}

// served gives the session a new catalog. pages are those whose published
// tools changed; for elsewhere see listChanged.
func (o *outbox) served(now *served, pages []registry.PageID, elsewhere []*request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := &o.lens
	l.now, l.shown = now.as(l.sight), nil
	changed := o.follow()
	o.followOffers()
	switch {
	case l.sight.Unlisted && l.mode == AllTabs: // its list never changes
	case l.mode == FocusedTab && changed:
		o.listChanged(pages, l.version, elsewhere)
	case l.mode == AllTabs && len(pages) > 0:
		o.listChanged(pages, now.catalog.Version(), elsewhere)
	}
}

// userSwitched has the client's focus follow the user to a tab.
func (o *outbox) userSwitched(page registry.PageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lens.step(registry.UserSwitchedTab{Page: page}) {
		o.listChanged([]registry.PageID{page}, o.lens.version, nil)
	}
}

// focuses says whether a page is the client's focused one.
func (o *outbox) focuses(page registry.PageID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	tab := o.lens.focus.Tab(o.lens.now.catalog)
	return tab != nil && tab.Page == page
}

// chose carries out what a request of the client did to its focus, and gives
// what the client is shown then, for the answer. The list_changed that follows
// waits for that.
func (o *outbox) chose(r *request, e registry.FocusEvent) (registry.FocusView, view) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lens.step(e) {
		o.hold(r, o.lens.version)
	}
	o.followOffers()
	return o.look()
}

// look is what the client is shown now, and what it has seen once it reads an
// answer that says so. mu must be held.
func (o *outbox) look() (registry.FocusView, view) {
	return *o.lens.view(), view{focus: o.lens.view(), version: o.lens.version}
}

// shown is what the client is shown now, and what it has seen once it reads an
// answer that says so.
func (o *outbox) shown() (registry.FocusView, view) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.look()
}

// listing is the client's list as it is now, and what the client has seen
// once it reads it.
func (o *outbox) listing(s *Server) (listing, view) {
	o.mu.Lock()
	l := &o.lens
	if l.mode == AllTabs {
		now, sight := l.now, l.sight
		o.mu.Unlock()
		return now.list(), view{catalog: now.catalog, list: true, version: now.catalog.Version(), sight: sight}
	}
	if l.list == nil {
		shown := l.view()
		l.list = sync.OnceValue(func() listing { return s.focusListing(shown) })
	}
	list, seen := l.list, view{catalog: l.now.catalog, list: true, version: l.version, sight: l.sight, focus: l.view()}
	o.mu.Unlock()
	return list(), seen
}

// seesAllTabs is the audience of texts that clients share which see all tabs.
var seesAllTabs = advice.Audience{Connect: true, ByName: true}

// focusAudience is who clients in focus mode are, where it shows them the tools.
func (o Options) focusAudience() advice.Audience {
	return advice.Audience{Browser: !o.unreachable(), Connect: o.ExplicitConnect}
}

// audience says which of our own tools help a client now; o may be nil.
func (s *Server) audience(o *outbox) advice.Audience {
	if s.viewOf(o).Mode == AllTabs {
		to := seesAllTabs
		to.Browser = s.options.OnRequest && !s.options.unreachable()
		return to
	}
	if o == nil {
		return advice.Audience{}
	}
	shown, _ := o.shown()
	return shown.Audience()
}
