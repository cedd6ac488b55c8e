package view

import (
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/focus"
)

// Seen is what one reply shows the client: a catalog, or one page of it.
type Seen struct {
	Catalog *registry.Catalog // nil: nothing
	Page    registry.PageID   // "" means all pages
	Part    bool              // Catalog is an excerpt: the reply tells of no other tools
	list    bool              // the reply is to tools/list
	version uint64            // of the client's list
	sight   registry.Sight    // by which Catalog is seen
	focus   *focus.View       // not nil: by this the client knows tools by their bare names
}

// read is what a client has read of the tools, for [registry.Resolve].
type read struct {
	all   history[*registry.Catalog]            // read as a whole
	pages map[registry.PageID]*registry.Catalog // read since, one page each
	found history[*registry.Catalog]            // excerpts, read since
	sight registry.Sight                        // which lists count as the client's

	focus history[*focus.View] // as in Seen
}

// saw takes note of a reply. listed is the version of the client's list that it
// is, 0 if it is none.
func (r *read) saw(w Seen) (listed uint64) {
	if w.focus != nil {
		r.focus.saw(w.focus, w.version, func(f *focus.View) int { return f.Catalog.Len() })
	}
	switch {
	case w.Catalog == nil:
		if w.list && w.sight == r.sight {
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
				delete(r.pages, p) // closed; should it come back, it is read anew
			}
		}
	default:
		if last := r.all.last; last != nil && last != w.Catalog && last.Version() == w.Catalog.Version() {
			r.all.remember(past[*registry.Catalog]{last, last.Len()}) // in another sight its names are others
		}
		if r.all.saw(w.Catalog, w.Catalog.Version(), (*registry.Catalog).Len) {
			r.pages, r.found.before = nil, nil
		}
		if w.list && w.sight == r.sight {
			listed = w.version
		}
	}
	return listed
}

// knowing is the catalog by which the client knows something that is a page's
// now, such as a name, or nil.
func (r *read) knowing(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	whole := r.knowingWhole(page, knows)
	for _, p := range slices.Backward(r.found.before) {
		if knows(p.list) && (whole == nil || !knows(whole) || p.list.Version() > whole.Version()) {
			return p.list
		}
	}
	return whole
}

// excerptSize is how many tools an excerpt has, whether or not they are published.
func excerptSize(c *registry.Catalog) (n int) {
	for _, t := range c.Tabs() {
		n += len(t.Tools)
	}
	return n + len(c.Routed())
}

// knowingWhole is knowing by lists of all tools or of all of a page.
func (r *read) knowingWhole(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	one, all := r.pages[page], r.all.knowing(knows)
	if one == nil || !knows(one) && all != nil && knows(all) { // read before that page
		return all
	}
	return one
}

// Saw takes note of what the client reads. listed is the version of the client's
// list of tools that it is, 0 if it is none.
func (l *ClientView) Saw(w Seen) (listed uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read.saw(w)
}

// Knowing is the catalog by which the client knows something that is a page's
// now, or nil. It may have read one page's tools after the whole list.
func (l *ClientView) Knowing(page registry.PageID, knows func(*registry.Catalog) bool) *registry.Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read.knowing(page, knows)
}

// KnowingName is [Lens.Knowing] for a hub name.
func (l *ClientView) KnowingName(now *registry.Catalog, name string) *registry.Catalog {
	var page registry.PageID
	if t := now.Lookup(name); t != nil {
		page = t.Route.Page
	}
	return l.Knowing(page, func(seen *registry.Catalog) bool { return seen.Lookup(name) != nil })
}

// KnowingBare is by what the client knows a bare name, or nil.
func (l *ClientView) KnowingBare(name string) *focus.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read.focus.knowing(func(v *focus.View) bool { return v.Has(name) })
}
