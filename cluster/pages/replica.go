package pages

import (
	"errors"
	"fmt"
	"slices"

	"webmcphub/cluster/api"
	"webmcphub/registry"
)

// Content says how a node's content has changed. The pages in Gone are closed first. Then the pages in Pages are
// opened or changed, in their order; a page in both was closed and opened again. Page and Browser of
// [registry.PageSnapshot] are names in the cluster ([Named]). Whatever is unchanged keeps its pointers.
type Content struct {
	Gone  []registry.PageID
	Pages []*registry.PageSnapshot
	// Epoch is that of all of the node's pages.
	Epoch registry.Epoch
	// Browsers are all of the node's; none while the node is not known.
	Browsers []registry.Browser
	// Lives are those that its browsers are in, by their names in the cluster. A new life is told no later than its
	// first page.
	Lives map[string]string
}

// ErrTooMuch says that a node has more than a gateway keeps of a node.
var ErrTooMuch = fmt.Errorf("its pages offer more than %d MiB", maxWeight>>20)

// errWrong says that a node tells of changes of what it hasn't told of.
var errWrong = errors.New("it changes a page or a tool that it hasn't told of")

// replica is what a gateway has of a node's content.
type replica struct {
	node        string
	incarnation string         // of the node; "" if nothing is known
	version     uint64         // 0 if nothing is known
	epoch       registry.Epoch // grows with each content that has nothing to do with the one before
	pages       map[registry.PageID]*held
	order       []*held
	browsers    []registry.Browser
	lives       map[string]string // of those that have one
	parts       *api.Delta        // the parts of a delta that have come, put together
	partly      int               // how much has come of parts, by deltaWeight
	weight      int               // of pages
	// without are pages that were refused, and of which changes are passed over.
	without map[registry.PageID]bool
}

// held is a page that a gateway has. It doesn't change.
type held struct {
	facts                *registry.PageSnapshot
	tools                []heldTool // of facts.Tools, in their order
	info, frames, offers int        // their weights
	weight               int        // of all
}

// heldTool is by what number the node means a tool, and how much it weighs.
type heldTool struct {
	number uint64
	weight int
}

func newReplica(node string) replica {
	return replica{node: node, pages: map[registry.PageID]*held{}, without: map[registry.PageID]bool{}}
}

// apply takes a delta of that incarnation. complete says that all its parts have come. After an error the content is
// of a part of the delta, and tells what was closed.
func (r *replica) apply(incarnation string, d *api.Delta) (c Content, left []LeftOut, complete bool, err error) {
	if d, err = r.collect(d); d == nil || err != nil {
		return c, nil, false, err
	}
	if d.From != 0 && (incarnation != r.incarnation || d.From != r.version) {
		return c, nil, false, errWrong
	}
	gone := map[registry.PageID]bool{}
	for _, id := range d.Gone {
		gone[Named(r.node, registry.PageID(id))] = true
	}
	if d.From == 0 {
		if incarnation != r.incarnation {
			c = r.forget()
			r.epoch++
		}
		clear(r.without)
		for _, was := range r.order {
			gone[was.facts.Page] = true
		}
		for _, p := range d.Pages {
			delete(gone, Named(r.node, registry.PageID(p.GetId())))
		}
	}
	for _, id := range r.ids(gone) {
		r.close(id, &c)
	}
	seen := map[registry.PageID]bool{}
	for _, p := range d.Pages {
		id := Named(r.node, registry.PageID(p.GetId()))
		why, err := r.take(id, p, seen[id], d.From == 0, &c)
		if err != nil {
			return c, left, false, err
		}
		if seen[id] = true; why != "" {
			left = append(left, LeftOut{Page: cut(p.GetId(), maxID), Why: why})
			r.refuse(id, &c)
		}
	}
	r.incarnation, r.version = incarnation, d.Version
	if d.Browsers != nil {
		r.browsers, r.lives = r.checkedBrowsers(d.Browsers.All)
	}
	if r.weight > maxWeight {
		return c, left, false, ErrTooMuch
	}
	c.Epoch, c.Browsers, c.Lives = r.epoch, r.browsers, r.lives
	return c, left, true, nil
}

// collect puts the parts of a delta together. It returns nil while any is missing.
func (r *replica) collect(d *api.Delta) (*api.Delta, error) {
	if r.partly += deltaWeight(d); r.partly > maxDelta {
		return nil, ErrTooMuch
	}
	if all := r.parts; all != nil {
		all.Pages = append(all.Pages, d.GetPages()...)
		all.Gone = append(all.Gone, d.GetGone()...)
		all.More = d.GetMore()
		d = all
	}
	if len(d.Pages) > 2*maxPages || len(d.Gone) > 2*maxPages {
		return nil, ErrTooMuch
	}
	if r.parts = d; d.More {
		return nil, nil
	}
	r.parts, r.partly = nil, 0
	return d, nil
}

// ids are those of pages in their order.
func (r *replica) ids(among map[registry.PageID]bool) (all []registry.PageID) {
	for _, p := range r.order {
		if among[p.facts.Page] {
			all = append(all, p.facts.Page)
		}
	}
	return all
}

// take opens or changes a page, or says why it can't be as it is told.
func (r *replica) take(id registry.PageID, p *api.Page, twice, whole bool, c *Content) (why string, err error) {
	was := r.pages[id]
	switch why = pageError(p); {
	case why != "":
		return why, nil
	case twice:
		return "it is told of twice", nil
	case was == nil && !opens(p, whole):
		return "", r.unknown(id)
	case was == nil && len(r.pages) >= maxPages:
		return fmt.Sprintf("the node has more than %d pages", maxPages), nil
	}
	base := was
	if whole && was != nil { // nothing but pointers stays of it
		base = &held{facts: was.facts}
	}
	is, err := base.with(r.node, p, whole)
	switch {
	case err == nil:
		r.put(is, was, c)
	case was == nil: // it has a tool that was told of before
		err = r.unknown(id)
	}
	return "", err
}

// opens says whether enough is told of a page to open it: all its parts, unless whole is set and an absent part is
// empty.
func opens(p *api.Page, whole bool) bool {
	return p.Info != nil && (whole || p.Frames != nil && p.Offers != nil && p.Tools != nil)
}

// unknown is what is wrong with a change of a page that isn't there: nothing if the page was left out, since its
// changes are passed over.
func (r *replica) unknown(id registry.PageID) error {
	if r.without[id] {
		return nil
	}
	return errWrong
}

// with is the page, nil for one that is new, with what is told of it.
func (h *held) with(node string, p *api.Page, whole bool) (*held, error) {
	if h == nil {
		h = &held{facts: &registry.PageSnapshot{}}
	}
	f := *h.facts
	is := &held{facts: &f, tools: h.tools, info: h.info, frames: h.frames, offers: h.offers}
	if p.Info != nil {
		f = *infoFacts(node, p.Id, p.Info)
		f.Frames, f.Tools, f.Offers = h.facts.Frames, h.facts.Tools, h.facts.Offers
		f.Offers.Page, f.Offers.Gen = f.Page, f.Gen
		is.info = infoWeight(p.Info)
	}
	if p.Frames != nil || whole {
		f.Frames, is.frames = frameFacts(p.Frames), framesWeight(p.Frames)
	}
	if p.Offers != nil || whole {
		f.Offers, is.offers = offerFacts(&f, p.Offers, h.facts), offersWeight(p.Offers)
	}
	if p.Tools != nil || whole {
		if err := is.retool(h, p.Tools); err != nil {
			return nil, err
		}
	}
	is.weight = is.info + is.frames + is.offers
	for _, t := range is.tools {
		is.weight += t.weight
	}
	return is, nil
}

// retool gives the page the tools that it has now.
func (h *held) retool(was *held, now *api.Tools) error {
	fresh := make([]*registry.PageTool, len(now.GetNew()))
	weights := make(map[uint64]int, len(fresh)+len(was.tools))
	tools := make(map[uint64]*registry.PageTool, len(fresh)+len(was.tools))
	for i, t := range was.tools {
		tools[t.number], weights[t.number] = was.facts.Tools[i], t.weight
	}
	for i, t := range now.GetNew() {
		fresh[i] = pageTool(t)
	}
	known(fresh, was.facts.Tools, (*registry.PageTool).Same, func(t *registry.PageTool) string { return t.Name })
	for i, t := range now.GetNew() {
		tools[t.GetNumber()], weights[t.GetNumber()] = fresh[i], toolWeight(t)
	}
	h.facts.Tools, h.tools = nil, make([]heldTool, len(now.GetNumbers()))
	for i, n := range now.GetNumbers() {
		t := tools[n]
		if t == nil {
			return errWrong
		}
		h.facts.Tools, h.tools[i] = append(h.facts.Tools, t), heldTool{n, weights[n]}
	}
	return nil
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

// refuse has a page not be there, though the node has it. An id that no page may have isn't kept: whatever is told of
// it is refused again.
func (r *replica) refuse(id registry.PageID, c *Content) {
	r.close(id, c)
	if _, own := Own(id); len(r.without) < 2*maxPages && idError(string(own)) == "" {
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
	c.Pages = slices.DeleteFunc(c.Pages, func(f *registry.PageSnapshot) bool { return f == was.facts })
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

// all is the content, for somebody who knows nothing yet.
func (r *replica) all() Content {
	c := Content{Epoch: r.epoch, Browsers: r.browsers, Lives: r.lives}
	for _, p := range r.order {
		c.Pages = append(c.Pages, p.facts)
	}
	return c
}

// checkedBrowsers are those that a node may have, and the lives of those that say one.
func (r *replica) checkedBrowsers(all []*api.Browser) (good []registry.Browser, lives map[string]string) {
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
