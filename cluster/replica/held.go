package replica

import (
	"fmt"
	"slices"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
	"webmcphub/registry/browsers"
)

// replica is what a [Mirror] has of a node's content.
type replica struct {
	node     string
	epoch    registry.Epoch // grows with each content that has nothing to do with the one before
	at       wire.Position
	pages    map[registry.PageID]*registry.Facts
	order    []*registry.Facts
	browsers []browsers.Browser
	lives    map[string]string // of those that have one
	parts    *wire.Whole       // the parts of a whole that have come, put together
}

func newReplica(node string) replica {
	return replica{node: node, pages: map[registry.PageID]*registry.Facts{}}
}

// collect puts the parts of a whole together. It is not complete while any is missing.
func (r *replica) collect(w wire.Whole) (all wire.Whole, complete bool) {
	switch p := r.parts; {
	case w.Part == 0:
		r.parts = &w
	case p == nil || p.At != w.At || w.Part != p.Part+1 || len(p.Pages) > maxPages:
		return w, false
	default:
		p.Part, p.More, p.Pages = w.Part, w.More, append(p.Pages, w.Pages...)
	}
	if r.parts.More {
		return w, false
	}
	all, r.parts = *r.parts, nil
	return all, true
}

// replace puts a whole in the place of the content.
func (r *replica) replace(w wire.Whole) (c Content, left []LeftOut) {
	if r.at.Incarnation != w.At.Incarnation {
		c = r.forget()
		r.epoch++
	}
	told := map[registry.PageID]bool{}
	for i := range w.Pages {
		told[Named(r.node, registry.PageID(w.Pages[i].ID))] = true
	}
	for _, was := range slices.Clone(r.order) {
		if !told[was.Page] {
			r.close(was.Page, &c)
		}
	}
	left = r.take(w.Pages, &c)
	return r.now(c, w.At, w.Browsers), left
}

// apply changes the content.
func (r *replica) apply(w wire.Changes) (c Content, left []LeftOut) {
	for _, id := range w.Gone {
		r.close(Named(r.node, registry.PageID(id)), &c)
	}
	left = r.take(w.Pages, &c)
	return r.now(c, w.At, w.Browsers), left
}

// take opens and changes the pages that are told of. Those that are refused now aren't left as they
// were.
func (r *replica) take(all []wire.Page, c *Content) []LeftOut {
	pages, left := r.checked(all)
	good := map[string]bool{}
	for i := range pages {
		good[pages[i].ID] = true
	}
	for i := range all {
		if !good[all[i].ID] {
			r.close(Named(r.node, registry.PageID(all[i].ID)), c)
		}
	}
	for i := range pages {
		r.set(&pages[i], c)
	}
	return left
}

// close takes a page away, if it is there.
func (r *replica) close(id registry.PageID, c *Content) {
	if r.pages[id] == nil {
		return
	}
	delete(r.pages, id)
	r.order = slices.DeleteFunc(slices.Clone(r.order), func(f *registry.Facts) bool { return f.Page == id })
	c.Gone = append(c.Gone, id)
}

// set opens or changes a page. One that was opened again comes last.
func (r *replica) set(p *wire.Page, c *Content) {
	was := r.pages[Named(r.node, registry.PageID(p.ID))]
	is := factsOf(r.node, p, was)
	switch {
	case was != nil && sameFacts(is, was):
		return
	case was != nil && anotherTime(is, was):
		r.close(is.Page, c)
		was = nil
	}
	if was == nil {
		r.order = append(slices.Clip(r.order), is)
	} else {
		r.order = slices.Clone(r.order)
		r.order[slices.Index(r.order, was)] = is
	}
	r.pages[is.Page] = is
	c.Pages = append(c.Pages, is)
}

// now takes note of where the content is, and of the browsers if they are told.
func (r *replica) now(c Content, at wire.Position, all []wire.Browser) Content {
	r.at = at
	if all != nil {
		r.browsers, r.lives = r.checkedBrowsers(all)
	}
	c.Epoch, c.Browsers, c.Lives = r.epoch, r.browsers, r.lives
	return c
}

// forget takes everything away.
func (r *replica) forget() (c Content) {
	for _, f := range r.order {
		c.Gone = append(c.Gone, f.Page)
	}
	*r = replica{node: r.node, epoch: r.epoch, pages: map[registry.PageID]*registry.Facts{}}
	c.Epoch = r.epoch
	return c
}

// checked are the pages that are within the limits, and why the others are not.
func (r *replica) checked(all []wire.Page) (pages []wire.Page, left []LeftOut) {
	seen, room := map[string]bool{}, maxPages-len(r.pages)
	for i := range all {
		p := all[i]
		why := pageError(&p)
		opens := r.pages[Named(r.node, registry.PageID(p.ID))] == nil
		switch {
		case why == "" && seen[p.ID]:
			why = "it is told of twice"
		case why == "" && opens && room == 0:
			why = fmt.Sprintf("the node has more than %d pages", maxPages)
		}
		if why != "" {
			left = append(left, LeftOut{Node: r.node, Page: cut(p.ID, maxID), Why: why})
			continue
		}
		if opens {
			room--
		}
		seen[p.ID] = true
		pages = append(pages, p)
	}
	return pages, left
}

// checkedBrowsers are those that a node may have, and the lives of those that say one.
func (r *replica) checkedBrowsers(all []wire.Browser) (good []browsers.Browser, lives map[string]string) {
	good, lives = []browsers.Browser{}, map[string]string{}
	seen := map[string]bool{}
	for _, b := range all {
		if browserError(b) == "" && !seen[b.Name] && len(good) < maxBrowsers {
			seen[b.Name] = true
			named := browsers.Named{Name: Named(r.node, b.Name), Labels: b.Labels}
			good = append(good, browsers.Browser{Named: named, Status: cut(b.Status, maxText)})
			if b.Life != "" && len(b.Life) <= maxID {
				lives[Named(r.node, b.Name)] = b.Life
			}
		}
	}
	return good, lives
}
