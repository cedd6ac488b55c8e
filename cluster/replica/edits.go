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
	fresh := make([]*registry.PageTool, len(now.New))
	for i := range now.New {
		fresh[i] = now.New[i].PageTool()
	}
	knownTools(fresh, h.facts.Tools)
	finds := finder{had: h.tools, fresh: now.New}
	tools, all := make([]*registry.PageTool, len(numbers)), make([]heldTool, len(numbers))
	for i, n := range numbers {
		switch at, isNew := finds.find(n); {
		case at < 0:
			return "", false
		case isNew:
			tools[i], all[i] = fresh[at], heldTool{n, toolWeight(&now.New[at])}
		default:
			tools[i], all[i] = h.facts.Tools[at], h.tools[at]
		}
	}
	h.facts.Tools, h.tools = tools, all
	return "", true
}

// finder finds tools by their numbers, among those that a page had and those that are told anew. Both are
// mostly looked for in their order.
type finder struct {
	had             []heldTool
	fresh           []wire.Tool
	next, nextFresh int            // after what was found last
	places          map[uint64]int // made where the order differs
}

// near is how far ahead a tool is looked for, past some that are gone.
const near = 8

// find gives a tool's place in fresh, if it is new, or else in had; -1 if it isn't known.
func (f *finder) find(number uint64) (at int, isNew bool) {
	if f.nextFresh < len(f.fresh) && f.fresh[f.nextFresh].Number == number {
		f.nextFresh++
		return f.nextFresh - 1, true
	}
	for i := f.next; number != 0 && i < min(f.next+near, len(f.had)); i++ {
		if f.had[i].number == number {
			f.next = i + 1
			return i, false
		}
	}
	if f.places == nil {
		f.places = make(map[uint64]int, len(f.had)+len(f.fresh))
		for i := range f.had {
			f.places[f.had[i].number] = i
		}
		delete(f.places, 0)
		for i := range f.fresh {
			f.places[f.fresh[i].Number] = len(f.had) + i
		}
	}
	switch i, known := f.places[number]; {
	case !known:
		return -1, false
	case i < len(f.had):
		f.next = i + 1
		return i, false
	default:
		return i - len(f.had), true
	}
}

// heldPage is a page that is told of as a whole.
func heldPage(p *wire.Page, facts *registry.Facts) *held {
	h := &held{facts: facts, tools: make([]heldTool, len(p.Tools)),
		weights: partBytes{pageOnlyWeight(p), framesWeight(p.Frames), offersWeight(p.Offers)}}
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
