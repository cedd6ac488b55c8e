package replica

import (
	"fmt"
	"slices"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// replica is what a [Mirror] has of a node's content.
type replica struct {
	node     string
	epoch    registry.Epoch // grows with each content that has nothing to do with the one before
	at       wire.Position
	pages    map[registry.PageID]*held
	order    []*held
	browsers []registry.Browser
	lives    map[string]string // of those that have one
	parts    *wire.Whole       // the parts of a whole that have come, put together
	partly   int               // the weight of parts
	weight   int               // of pages
	// without are pages that were refused, and of which edits are passed over.
	without map[registry.PageID]bool
}

// held is a page that a gateway has. It doesn't change.
type held struct {
	facts   *registry.Facts
	tools   []heldTool // of facts.Tools, in their order
	weights partBytes
	weight  int // of all
}

// heldTool is by what number the node means a tool, 0 for none, and how much it weighs.
type heldTool struct {
	number uint64
	weight int
}

func newReplica(node string) replica {
	return replica{node: node, pages: map[registry.PageID]*held{}, without: map[registry.PageID]bool{}}
}

// collect puts the parts of a whole together. It is not complete while any is missing.
func (r *replica) collect(w wire.Whole) (all wire.Whole, complete bool) {
	switch p := r.parts; {
	case w.Part == 0:
		r.parts, r.partly = &w, 0
	case p == nil || p.At != w.At || w.Part != p.Part+1 || len(p.Pages) > maxPages || r.partly > maxWeight:
		return w, false
	default:
		p.Part, p.More, p.Pages = w.Part, w.More, append(p.Pages, w.Pages...)
	}
	for i := range w.Pages {
		r.partly += pageWeight(&w.Pages[i])
	}
	if r.parts.More {
		return w, false
	}
	all, r.parts, r.partly = *r.parts, nil, 0
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
	clear(r.without)
	for _, was := range slices.Clone(r.order) {
		if !told[was.facts.Page] {
			r.close(was.facts.Page, &c)
		}
	}
	left = r.take(w.Pages, &c)
	return r.now(c, w.At, w.Browsers), left
}

// apply changes the content. It changes nothing, and is not ok, where an edit is of what there isn't.
func (r *replica) apply(w wire.Changes) (c Content, left []LeftOut, ok bool) {
	edits, left, ok := r.edits(w)
	if !ok {
		return c, left, false
	}
	for _, id := range w.Gone {
		r.close(Named(r.node, registry.PageID(id)), &c)
	}
	left = append(left, r.take(w.Pages, &c)...)
	for _, e := range edits {
		r.edit(e, &c)
	}
	return r.now(c, w.At, w.Browsers), left, true
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
			r.refuse(Named(r.node, registry.PageID(all[i].ID)), c)
		}
	}
	for i := range pages {
		r.set(&pages[i], c)
	}
	return left
}

// refuse has a page not be there, though the node has it.
func (r *replica) refuse(id registry.PageID, c *Content) {
	r.close(id, c)
	if len(r.without) < maxPages {
		r.without[id] = true
	}
}

// close takes a page away, if it is there.
func (r *replica) close(id registry.PageID, c *Content) {
	delete(r.without, id)
	was := r.pages[id]
	if was == nil {
		return
	}
	delete(r.pages, id)
	r.weight -= was.weight
	r.order = slices.DeleteFunc(r.order, func(p *held) bool { return p == was })
	c.Gone = append(c.Gone, id)
}

// set opens or changes a page. One that was opened again comes last.
func (r *replica) set(p *wire.Page, c *Content) {
	was := r.pages[Named(r.node, registry.PageID(p.ID))]
	var before *registry.Facts
	if was != nil {
		before = was.facts
	}
	r.put(heldPage(p, factsOf(r.node, p, before)), was, c)
}

// put puts a page in the place of what it was before, nil if it wasn't there.
func (r *replica) put(is, was *held, c *Content) {
	id, same := is.facts.Page, was != nil && sameFacts(is.facts, was.facts)
	if same {
		is.facts = was.facts
	}
	if was != nil && anotherTime(is.facts, was.facts) {
		r.close(id, c)
		was = nil
	}
	delete(r.without, id)
	r.weight += is.weight
	if was == nil {
		r.order = append(r.order, is)
	} else {
		r.weight -= was.weight
		r.order[slices.Index(r.order, was)] = is
	}
	r.pages[id] = is
	if !same {
		c.Pages = append(c.Pages, is.facts)
	}
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
	for _, p := range r.order {
		c.Gone = append(c.Gone, p.facts.Page)
	}
	epoch := r.epoch
	*r = newReplica(r.node)
	r.epoch, c.Epoch = epoch, epoch
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
func (r *replica) checkedBrowsers(all []wire.Browser) (good []registry.Browser, lives map[string]string) {
	good, lives = []registry.Browser{}, map[string]string{}
	seen := map[string]bool{}
	for _, b := range all {
		if browserError(b) == "" && !seen[b.Name] && len(good) < maxBrowsers {
			seen[b.Name] = true
			named := registry.NamedBrowser{Name: Named(r.node, b.Name), Labels: b.Labels}
			good = append(good, registry.Browser{NamedBrowser: named, Status: cut(b.Status, maxText)})
			if b.Life != "" && len(b.Life) <= maxID {
				lives[Named(r.node, b.Name)] = b.Life
			}
		}
	}
	return good, lives
}
