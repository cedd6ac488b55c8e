package replica

import (
	"cmp"
	"fmt"

	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// edited is what an edit makes of a page.
type edited struct {
	was, is *held
	why     string // why it can't be so, "" if it can
}

// edits reads those of some changes. It is not ok if any is of a page or a tool that there isn't.
func (r *replica) edits(w wire.Changes) (all []edited, left []LeftOut, ok bool) {
	if len(w.Edits) > maxPages {
		return nil, nil, false
	}
	for i := range w.Edits {
		e := &w.Edits[i]
		id := Named(r.node, registry.PageID(e.ID))
		was := r.pages[id]
		if was == nil && (r.without[id] || len(r.without) >= maxPages) {
			continue
		}
		if was == nil {
			return nil, nil, false
		}
		is, why, known := was.edited(r.node, e)
		if !known {
			return nil, nil, false
		}
		if why != "" {
			left = append(left, LeftOut{Node: r.node, Page: e.ID, Why: why})
		}
		all = append(all, edited{was, is, why})
	}
	return all, left, true
}

// edit puts an edited page in its place. It may be gone, or edited twice: that no honest node says.
func (r *replica) edit(e edited, c *Content) {
	switch id := e.was.facts.Page; {
	case r.pages[id] != e.was:
	case e.why != "":
		r.refuse(id, c)
	default:
		r.put(e.is, e.was, c)
	}
}

// edited is the page after an edit. why says why it can't be so. It isn't known if a tool of it isn't.
func (h *held) edited(node string, e *wire.Edit) (is *held, why string, known bool) {
	f := *h.facts
	is = &held{facts: &f, tools: h.tools, weights: h.weights}
	if e.Page != nil {
		page := *e.Page
		page.ID, page.Frames, page.Tools, page.Offers = e.ID, nil, nil, nil
		if why = pageError(&page); why != "" {
			return nil, why, true
		}
		said := pageFacts(node, &page)
		said.Frames, said.Tools, said.Offers = f.Frames, f.Tools, f.Offers
		said.Offers.Gen = said.Gen
		f, is.weights.page = *said, pageOnlyWeight(&page)
	}
	if e.Frames != nil {
		why = framesError(*e.Frames)
		f.Frames, is.weights.frames = frameFacts(*e.Frames), framesWeight(*e.Frames)
	}
	if e.Offers != nil {
		if why = cmp.Or(why, offersError(e.Offers)); why != "" {
			return nil, why, true
		}
		f.Offers, is.weights.offers = offerFacts(&f, e.Offers, h.facts), offersWeight(e.Offers)
	}
	if e.Tools != nil && why == "" {
		why, known = is.retool(e.Tools)
		if why == "" && !known {
			return nil, "", false
		}
	}
	is.weigh()
	return is, why, true
}

// retool gives the page the tools that it has now.
func (h *held) retool(now *wire.ToolChanges) (why string, known bool) {
	numbers, ok := wire.Numbers(now.Numbers, maxTools)
	if !ok || len(now.New) > maxTools {
		return fmt.Sprintf("it has more than %d tools", maxTools), true
	}
	f := h.facts
	type place struct {
		tool   *registry.PageTool
		weight int
	}
	by := make(map[uint64]place, len(h.tools)+len(now.New))
	for i, t := range h.tools {
		if t.number != 0 {
			by[t.number] = place{f.Tools[i], t.weight}
		}
	}
	fresh := make([]*registry.PageTool, len(now.New))
	for i := range now.New {
		fresh[i] = now.New[i].PageTool()
	}
	knownTools(fresh, f.Tools)
	for i := range now.New {
		by[now.New[i].Number] = place{fresh[i], toolWeight(&now.New[i])}
	}
	f.Tools, h.tools = nil, make([]heldTool, len(numbers))
	for i, n := range numbers {
		at, is := by[n]
		if !is {
			return "", false
		}
		f.Tools = append(f.Tools, at.tool)
		h.tools[i] = heldTool{n, at.weight}
	}
	return "", true
}

// heldPage is a page that is told of as a whole.
func heldPage(p *wire.Page, facts *registry.Facts) *held {
	h := &held{facts: facts, tools: make([]heldTool, len(p.Tools)), weights: partBytes{pageOnlyWeight(p), framesWeight(p.Frames), offersWeight(p.Offers)}}
	for i := range p.Tools {
		h.tools[i] = heldTool{p.Tools[i].Number, toolWeight(&p.Tools[i])}
	}
	h.weigh()
	return h
}

func (h *held) weigh() {
	h.weight = h.weights.page + h.weights.frames + h.weights.offers
	for _, t := range h.tools {
		h.weight += t.weight
	}
}
