package mcpserver

import "webmcphub/registry"

// view is what one reply shows the client: a catalog, or one page of it.
type view struct {
	catalog *registry.Catalog   // nil: nothing
	page    registry.PageID     // "" means all pages
	list    bool                // the reply is to tools/list
	version uint64              // of the client's list, see lens
	sight   registry.Sight      // by which catalog is seen
	focus   *registry.FocusView // not nil: by this the client knows tools by their bare names
}

// views is what a client has seen of the tools, for [registry.Resolve]. It
// belongs to the outbox.
type views struct {
	all    history[*registry.Catalog]            // read as a whole
	pages  map[registry.PageID]*registry.Catalog // read since, one page each
	listed uint64                                // version of the newest tools/list, 0 if none
	sight  registry.Sight                        // what lists count, see lookOtherwise

	focus history[*registry.FocusView] // as in view
}

func (v *views) saw(w view) {
	if w.focus != nil {
		v.focus.saw(w.focus, w.version, func(f *registry.FocusView) int { return f.Catalog.Len() })
	}
	switch {
	case w.catalog == nil:
	case w.page != "":
		if v.pages == nil {
			v.pages = map[registry.PageID]*registry.Catalog{}
		}
		v.pages[w.page] = w.catalog
		for p := range v.pages {
			if w.catalog.Tab(p) == nil {
				delete(v.pages, p) // closed; should it come back, it is read anew
			}
		}
	default:
		if last := v.all.last; last != nil && last != w.catalog && last.Version() == w.catalog.Version() {
			v.all.remember(past[*registry.Catalog]{last, last.Len()}) // in another sight its names are others
		}
		if v.all.saw(w.catalog, w.catalog.Version(), (*registry.Catalog).Len) {
			v.pages = nil
		}
		if w.list && w.sight == v.sight {
			v.listed = max(v.listed, w.version)
		}
	}
}

// knowing is the catalog by which the client knows something that is a page's
// now, such as a name, or nil.
func (v *views) knowing(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	one, all := v.pages[page], v.all.knowing(knows)
	if one == nil || !knows(one) && all != nil && knows(all) { // read before that page
		return all
	}
	return one
}

// lookOtherwise has lists of another sight count as not read.
func (v *views) lookOtherwise(sight registry.Sight) { v.listed, v.sight = 0, sight }

// seen is the catalog by which the client knows something that is a page's now.
func (o *outbox) seen(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.views.knowing(page, knows)
}

// seenBare is by what the client knows a bare name, or nil.
func (o *outbox) seenBare(name string) *registry.FocusView {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.views.focus.knowing(func(v *registry.FocusView) bool { return v.Has(name) })
}
