package pages

import (
	"errors"
	"fmt"
	"slices"

	"webmcphub/cluster/api"
	"webmcphub/registry"
)

// Content says how a node's content has changed. The pages in Gone are closed first. Then the pages in Pages are
// opened or changed, in their order. A page in both was closed and opened again. Page and Browser of
// [registry.PageSnapshot] are names in the cluster ([Named]). Whatever is unchanged keeps its pointers.
type Content struct {
	Gone  []registry.PageID
	Pages []*registry.PageSnapshot
	// Epoch is the epoch of all of the node's pages.
	Epoch registry.Epoch
	// Browsers are all browsers of the node. There are none while the gateway knows nothing about the node.
	Browsers []registry.Browser
	// Lives are the current lives of the browsers, by the browsers' names in the cluster. A new life is in a Content
	// no later than its first page.
	Lives map[string]string
}

// ErrTooMuch says that a node has sent more than a gateway keeps of one node.
var ErrTooMuch = fmt.Errorf("its pages offer more than %d MiB", maxWeight>>20)

// errWrong says that a delta changes something that the gateway doesn't have.
var errWrong = errors.New("it changes a page or a tool that it hasn't sent")

// replica is the gateway's copy of a node's content.
type replica struct {
	node        string
	incarnation string         // of the node; "" if nothing is known
	version     uint64         // 0 if nothing is known
	epoch       registry.Epoch // grows with each content that is independent of the one before
	pages       map[registry.PageID]*held
	order       []*held
	browsers    []registry.Browser
	lives       map[string]string // of the browsers that have reported one
	parts       *api.Delta        // the received parts of an incomplete delta, joined
	partsWeight int               // the sum of the parts' deltaWeight
	weight      int               // of all pages
	// refused are pages that the gateway refused. It ignores changes of them.
	refused map[registry.PageID]bool
}

// held is a page that a gateway has. It is immutable.
type held struct {
	facts                *registry.PageSnapshot
	tools                []heldTool // of facts.Tools, in their order
	info, frames, offers int        // their weights
	weight               int        // of all parts and tools
}

// heldTool has the node's number of a tool, and the tool's weight.
type heldTool struct {
	number uint64
	weight int
}

func newReplica(node string) replica {
	return replica{node: node, pages: map[registry.PageID]*held{}, refused: map[registry.PageID]bool{}}
}

// apply applies a delta of an incarnation. complete says whether all parts of the delta have arrived. After an error
// only some of the delta has been applied, and c.Gone has the pages that this closed.
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
		clear(r.refused)
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

// collect joins the parts of a delta. It returns nil while any part is missing.
func (r *replica) collect(d *api.Delta) (*api.Delta, error) {
	if r.partsWeight += deltaWeight(d); r.partsWeight > maxDelta {
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
	r.parts, r.partsWeight = nil, 0
	return d, nil
}

// ids returns the ids of those pages that are in among, in the pages' order.
func (r *replica) ids(among map[registry.PageID]bool) (all []registry.PageID) {
	for _, p := range r.order {
		if among[p.facts.Page] {
			all = append(all, p.facts.Page)
		}
	}
	return all
}

// take opens or changes a page as p says. It returns why if it refuses the page, and err if the delta is wrong. twice
// says that the delta has the page for the second time, and whole that the delta has everything.
func (r *replica) take(id registry.PageID, p *api.Page, twice, whole bool, c *Content) (why string, err error) {
	was := r.pages[id]
	switch why = pageError(p); {
	case why != "":
		return why, nil
	case twice:
		return "it is in one delta twice", nil
	case was == nil && !opens(p, whole):
		return "", r.unknown(id)
	case was == nil && len(r.pages) >= maxPages:
		return fmt.Sprintf("the node has more than %d pages", maxPages), nil
	}
	base := was
	if whole && was != nil { // only what is unchanged keeps its pointers
		base = &held{facts: was.facts}
	}
	is, err := base.with(r.node, p, whole)
	switch {
	case err == nil:
		r.put(is, was, c)
	case was == nil: // it has a tool that this delta doesn't define
		err = r.unknown(id)
	}
	return "", err
}

// opens says whether p has enough to open a page. It needs all parts. If whole is set, it needs only Info: an absent
// part is empty.
func opens(p *api.Page, whole bool) bool {
	return p.Info != nil && (whole || p.Frames != nil && p.Offers != nil && p.Tools != nil)
}

// unknown returns the error for a change of a missing page, or nil if the gateway refused that page.
func (r *replica) unknown(id registry.PageID) error {
	if r.refused[id] {
		return nil
	}
	return errWrong
}

// with returns the page with p's changes. h is nil if the page is new.
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
		if err := is.setTools(h, p.Tools); err != nil {
			return nil, err
		}
	}
	is.weight = is.info + is.frames + is.offers
	for _, t := range is.tools {
		is.weight += t.weight
	}
	return is, nil
}

// setTools gives h the tools that now lists. Those without a new definition come from was.
func (h *held) setTools(was *held, now *api.Tools) error {
	fresh := make([]*registry.PageTool, len(now.GetNew()))
	weights := make(map[uint64]int, len(fresh)+len(was.tools))
	tools := make(map[uint64]*registry.PageTool, len(fresh)+len(was.tools))
	for i, t := range was.tools {
		tools[t.number], weights[t.number] = was.facts.Tools[i], t.weight
	}
	for i, t := range now.GetNew() {
		fresh[i] = pageTool(t)
	}
	reuse(fresh, was.facts.Tools, (*registry.PageTool).Same, func(t *registry.PageTool) string { return t.Name })
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

// put replaces the page was by is. If was is nil, put adds is.
func (r *replica) put(is, was *held, c *Content) {
	id, same := is.facts.Page, was != nil && sameFacts(is.facts, was.facts)
	if same {
		is.facts = was.facts
	}
	if was != nil && reopened(is.facts, was.facts) {
		r.close(id, c)
		was = nil
	}
	delete(r.refused, id)
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

// refuse leaves out a page that the node has. It doesn't keep a malformed id, since every later change of that page is
// refused again.
func (r *replica) refuse(id registry.PageID, c *Content) {
	r.close(id, c)
	if _, own := Own(id); len(r.refused) < 2*maxPages && idError(string(own)) == "" {
		r.refused[id] = true
	}
}

// close removes a page, if it is there.
func (r *replica) close(id registry.PageID, c *Content) {
	delete(r.refused, id)
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

// forget removes everything.
func (r *replica) forget() (c Content) {
	for _, p := range r.order {
		c.Gone = append(c.Gone, p.facts.Page)
	}
	epoch := r.epoch
	*r = newReplica(r.node)
	r.epoch, c.Epoch = epoch, epoch
	return c
}

// all returns the whole content.
func (r *replica) all() Content {
	c := Content{Epoch: r.epoch, Browsers: r.browsers, Lives: r.lives}
	for _, p := range r.order {
		c.Pages = append(c.Pages, p.facts)
	}
	return c
}

// checkedBrowsers returns the browsers that are well-formed, without duplicates, and the lives that these report.
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
