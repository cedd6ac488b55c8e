package registry

import (
	"fmt"
	"slices"
	"webmcphub/registry/offer"
)

// maxBarred is how many frames of a page are named as refused.
const maxBarred = 20

// permitted gives those of p's reported tools whose page and frame may offer
// any. p.barred says which may not: once a document.
func (s *State) permitted(p *page, tools []*PageTool) []*PageTool {
	if s.options.Origins == nil {
		return tools
	}
	var may []*PageTool
	var barred []offer.Refusal
	bar := func(what, why string) {
		if r := (offer.Refusal{Tool: what, Why: why}); len(barred) < maxBarred && !slices.Contains(barred, r) {
			barred = append(barred, r)
		}
	}
	pageWhy := s.options.Origins.Refusal(p.said, p.url)
	for _, t := range tools {
		frameWhy := ""
		if !p.IsOwn(t.Document()) {
			frameWhy = s.options.Origins.DocumentRefusal(t.Origin, t.FrameURL, t.Doc == p.Gen)
		}
		switch {
		case pageWhy != "":
			bar(offer.AllTools, pageWhy)
		case frameWhy != "":
			bar(offer.AllFrameTools, frameWhy)
		default:
			may = append(may, t)
		}
	}
	if !slices.Equal(p.barred, barred) {
		p.barred, p.dirty, s.stale = barred, true, true
	}
	return may
}

// maxHeldTold is of how many withheld tools of a page it is told why.
const maxHeldTold = 50

// heldLikewise is why the others are.
const heldLikewise = "withheld likewise"

// judge gives the mark of a tool of the page, or why it must not be published: then it is
// added to held.
func (p *page) judge(t *PageTool, held *[]*offer.Held) (mark, why string) {
	v := p.Stands(t)
	if v.Held == nil {
		return v.Mark, ""
	}
	if len(*held) >= maxHeldTold {
		v.Held = func() string { return heldLikewise }
	}
	h := p.Withheld(t, v)
	*held = append(*held, h)
	return "", h.Why
}

// tooManyHeld tells of those of which it isn't told why.
func tooManyHeld(held []*offer.Held) []offer.Refusal {
	if len(held) <= maxHeldTold {
		return nil
	}
	return []offer.Refusal{{Tool: fmt.Sprintf("(%d more)", len(held)-maxHeldTold), Why: heldLikewise}}
}

// withheldNow is a tool that a client knew and that is withheld now, or nil. It may have
// been registered by another document since.
func (t *Tab) withheldNow(was offer.Identity) *offer.Held {
	for _, h := range t.Withheld {
		if h.Tool.Name == was.Name && h.Tool.Frame == was.Frame && t.Origin == was.Origin {
			return h
		}
	}
	return nil
}

// WithheldNow is the tool that a client knew by a name of the catalog seen, nil for none,
// if it is withheld in now; else nil.
func WithheldNow(seen, now *Catalog, name string) *offer.Held {
	if seen == nil {
		return nil
	}
	was := seen.Lookup(name)
	if was == nil || now.Tab(was.Route.Page) == nil {
		return nil
	}
	return now.Tab(was.Route.Page).withheldNow(was.Identity())
}

// standingChanged judges all tools anew. Pages of which something stands otherwise now
// name their tools again.
func (s *State) standingChanged(e StandingChanged) {
	s.options.Standing, s.maker.Standing = e.Standing, e.Standing
	s.sites.StandingChanged()
	s.stale = true
	for _, p := range s.order {
		p.dirty = p.dirty || p.standsOtherwise()
	}
}

// standsOtherwise says whether any of the page's tools is published, or withheld, as it
// is no longer to be.
func (p *page) standsOtherwise() bool {
	if len(p.withheld) > 0 {
		return true // perhaps only by what it differs
	}
	marks := make(map[*PageTool]string, len(p.hub.tools))
	for _, h := range p.hub.tools {
		marks[h.Source()] = h.Mark()
	}
	return slices.ContainsFunc(p.tools, func(t *PageTool) bool {
		v := p.Stands(t)
		mark, published := marks[t]
		return published && (v.Held != nil || mark != v.Mark)
	})
}

// withhold takes note of which of the page's tools are withheld.
func (p *page) withhold(held []*offer.Held) {
	same := slices.EqualFunc(p.withheld, held, func(a, b *offer.Held) bool { return *a == *b })
	if !same {
		p.withheld, p.view = held, nil
	}
}
