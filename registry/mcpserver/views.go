package mcpserver

import (
	"slices"

	"webmcphub/registry"
)

// view is what one reply shows the client: a catalog, or one page of it.
type view struct {
	catalog *registry.Catalog   // nil: nothing
	page    registry.PageID     // "" means all pages
	list    bool                // the reply is to tools/list
	version uint64              // of the client's list, see lens
	focus   *registry.FocusView // not nil: by this the client knows tools by their bare names
}

// Calls overtake lists, and clients read more lists than their agents, so beside
// the list that was read last some before it are remembered: so many at most, and
// the one before in any case, but beyond it only so many tools.
const (
	earlierLists = 16
	earlierTools = 1024
)

// views is what a client has seen of the tools, for [registry.Resolve]. It
// belongs to the outbox.
type views struct {
	all    *registry.Catalog                     // read last as a whole, nil if never
	before []*registry.Catalog                   // read before that, the newest last
	pages  map[registry.PageID]*registry.Catalog // read since, one page each
	listed uint64                                // version of the newest tools/list, 0 if none

	focus        *registry.FocusView // as in view
	focusVersion uint64
}

func (v *views) saw(w view) {
	if w.focus != nil && w.version >= v.focusVersion {
		v.focus, v.focusVersion = w.focus, w.version
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
				delete(v.pages, p) // closed, and never coming back
			}
		}
	default:
		// Answers can overtake each other; the newest list counts.
		if v.all == nil || v.all.Version() <= w.catalog.Version() {
			v.remember(v.all, w.catalog)
			v.all, v.pages = w.catalog, nil
		} else {
			v.remember(w.catalog, v.all)
		}
		if w.list {
			v.listed = max(v.listed, w.version)
		}
	}
}

// remember keeps a catalog that is older than the newest one.
func (v *views) remember(c, newest *registry.Catalog) {
	if c == nil || c == newest {
		return
	}
	v.before = append(v.before, c)
	tools := 0
	for _, c := range v.before {
		tools += c.Len()
	}
	for len(v.before) > 1 && (len(v.before) > earlierLists || tools > earlierTools) {
		tools -= v.before[0].Len()
		v.before = slices.Delete(v.before, 0, 1)
	}
}

// of is the catalog by which the client knows the tools of a page, or nil.
func (v *views) of(page registry.PageID) *registry.Catalog {
	if c := v.pages[page]; c != nil {
		return c
	}
	return v.all
}

// naming is the catalog by which the client knows a name that means a tool of
// that page now, or nil.
func (v *views) naming(page registry.PageID, name string) *registry.Catalog {
	last := v.of(page)
	switch {
	case last == nil || last.Lookup(name) != nil:
		return last
	case v.all != nil && v.all.Lookup(name) != nil: // read before that page
		return v.all
	}
	for _, c := range slices.Backward(v.before) {
		if c.Lookup(name) != nil {
			return c
		}
	}
	return last
}

func (o *outbox) seen(page registry.PageID) *registry.Catalog {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.views.of(page)
}

func (o *outbox) seenName(page registry.PageID, name string) *registry.Catalog {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.views.naming(page, name)
}

// seenFocus is by what the client knows tools by their bare names, or nil.
func (o *outbox) seenFocus() *registry.FocusView {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.views.focus
}
