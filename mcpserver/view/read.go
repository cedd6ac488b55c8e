package view

import (
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/focus"
)

// Seen describes what one reply shows the client: a catalog, or one page of it.
type Seen struct {
	Catalog     *registry.Catalog    // nil means nothing
	Page        registry.PageID      // "" means all pages
	Part        bool                 // Catalog is an excerpt: the reply shows no other tools
	list        bool                 // the reply answers tools/list
	version     uint64               // version of the client's list
	listOptions registry.ListOptions // by which the client sees Catalog
	focus       *focus.View          // if not nil, the view by which the client knows tools by their bare names
}

// read holds the lists of tools that a client has read, for [registry.Resolve].
type read struct {
	all         history[*registry.Catalog]            // catalogs that it read as a whole
	pages       map[registry.PageID]*registry.Catalog // since then, catalogs of which it read one page
	found       history[*registry.Catalog]            // since then, excerpts that it read
	listOptions registry.ListOptions                  // of the lists that count as the client's

	focus history[*focus.View] // as in Seen
}

// saw notes what a reply shows. It returns the version of the client's list if the reply is that list, and 0
// otherwise.
func (r *read) saw(w Seen) (listed uint64) {
	if w.focus != nil {
		r.focus.saw(w.focus, w.version, func(f *focus.View) int { return f.Catalog.Len() })
	}
	switch {
	case w.Catalog == nil:
		if w.list && w.listOptions == r.listOptions {
			listed = w.version
		}
	case w.Part:
		if n := excerptSize(w.Catalog); n > 0 {
			r.found.remember(past[*registry.Catalog]{w.Catalog, n})
		}
	case w.Page != "":
		if r.pages == nil {
			r.pages = map[registry.PageID]*registry.Catalog{}
		}
		r.pages[w.Page] = w.Catalog
		for p := range r.pages {
			if w.Catalog.Tab(p) == nil {
				delete(r.pages, p) // the page was closed; if it comes back, it must be read again
			}
		}
	default:
		if last := r.all.last; last != nil && last != w.Catalog && last.Version() == w.Catalog.Version() {
			r.all.remember(past[*registry.Catalog]{last, last.Len()}) // with other options its names differ
		}
		if r.all.saw(w.Catalog, w.Catalog.Version(), (*registry.Catalog).Len) {
			r.pages, r.found.before = nil, nil
		}
		if w.list && w.listOptions == r.listOptions {
			listed = w.version
		}
	}
	return listed
}

// knowing returns the catalog by which the client knows something, such as a name, that belongs to this page now. It
// may return nil.
func (r *read) knowing(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	whole := r.knowingWhole(page, knows)
	for _, p := range slices.Backward(r.found.before) {
		if knows(p.list) && (whole == nil || !knows(whole) || p.list.Version() > whole.Version()) {
			return p.list
		}
	}
	return whole
}

// excerptSize returns the number of tools in an excerpt, published or not.
func excerptSize(c *registry.Catalog) (n int) {
	for _, t := range c.Tabs() {
		n += len(t.Tools)
	}
	return n + len(c.SiteTools())
}

// knowingWhole does what knowing does, but uses only complete lists of all tools or of one page's tools.
func (r *read) knowingWhole(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	one, all := r.pages[page], r.all.knowing(knows)
	if one == nil || !knows(one) && all != nil && knows(all) { // the client read that page before the whole list
		return all
	}
	return one
}

// Saw notes what the client reads. It returns the version of the client's list of tools if the reply is that list,
// and 0 otherwise.
func (l *ClientView) Saw(w Seen) (listed uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read.saw(w)
}

// Knowing returns the catalog by which the client knows something, such as a name, that belongs to this page now, or
// nil. That need not be the whole list that the client read last, because it may have read one page's tools since.
func (l *ClientView) Knowing(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read.knowing(page, knows)
}

// KnowingName is [ClientView.Knowing] for a hub name.
func (l *ClientView) KnowingName(now *registry.Catalog, name string) *registry.Catalog {
	var page registry.PageID
	if t := now.Lookup(name); t != nil {
		page = t.Route.Page
	}
	return l.Knowing(page, func(seen *registry.Catalog) bool { return seen.Lookup(name) != nil })
}

// KnowingBare returns the focus view by which the client knows a bare name, or nil.
func (l *ClientView) KnowingBare(name string) *focus.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read.focus.knowing(func(v *focus.View) bool { return v.Has(name) })
}
