package registry

import (
	"fmt"
	"slices"
	"strings"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// maxBarred is how many frames of a page are named as refused.
const maxBarred = 20

// permitted gives those of p's reported tools whose page and frame may offer
// any. p.barred says which may not: once a document.
func (s *State) permitted(p *page, tools []*PageTool) []*PageTool {
	if p.Origins == nil {
		return tools
	}
	var may []*PageTool
	var barred []offer.Refusal
	bar := func(what, why string) {
		if r := (offer.Refusal{Tool: what, Why: why}); len(barred) < maxBarred && !slices.Contains(barred, r) {
			barred = append(barred, r)
		}
	}
	pageWhy := p.Origins.Refusal(p.said, p.url)
	for _, t := range tools {
		frameWhy := ""
		if !p.IsOwn(t.Document()) {
			frameWhy = p.Origins.DocumentRefusal(t.Origin, t.FrameURL, t.Doc == p.Gen)
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

// asShown are frames with the addresses that agents may read.
func (p *page) asShown(frames []Frame) []Frame {
	if p.Origins.PermitsAll() {
		return frames
	}
	frames = slices.Clone(frames)
	for i, f := range frames {
		frames[i].URL = p.Origins.Shown("", f.URL, 2048)
	}
	return frames
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

// pace is what a tab has brought lately, where [Options.Registrations] limits that. It
// outlives the documents that the tab shows, else a page that loads itself anew could bring
// as much as it likes.
type pace struct {
	brought []brought       // the oldest first
	over    []offer.Refusal // what is withheld because it was too much
}

// brought are tools that came in one step, until [RegistrationsDue].
type brought struct {
	seq   uint64
	tools []*PageTool
}

// paced gives those of p's permitted tools that don't come too fast. Which are withheld
// says p.over: they come once the time of earlier ones is over, as far as the page has
// them then. What comes again as it was lately is nothing new, nor is what the hub itself
// makes of a page.
func (s *State) paced(p *page, tools []*PageTool) []*PageTool {
	limit := s.options.Registrations
	if limit <= 0 {
		return tools
	}
	had, left := s.lately(p), limit
	for _, b := range p.brought {
		left -= len(b.tools)
	}
	var may, news, over []*PageTool
	for _, t := range tools {
		switch {
		case t.Runtime == offer.DOM, had.has(t):
		case left <= 0:
			over = append(over, t)
			continue
		default:
			left--
			news = append(news, t)
		}
		may = append(may, t)
	}
	if len(news) > 0 {
		s.brought++
		p.brought = append(p.brought, brought{s.brought, news})
		s.asked = append(s.asked, ArmRegistrations{p.ID, s.brought})
	}
	if refused := refusedOver(over, limit); !slices.Equal(p.over, refused) {
		p.over, p.dirty, s.stale = refused, true, true
	}
	return may
}

// known are tools by name.
type known map[string][]*PageTool

func (k known) add(t *PageTool) { k[t.Name] = append(k[t.Name], t) }

func (k known) has(t *PageTool) bool {
	return slices.ContainsFunc(k[t.Name], func(o *PageTool) bool { return t == o || t.Repeats(o) })
}

// lately are the tools that p has, or had so lately that they count still.
func (s *State) lately(p *page) known {
	had := known{}
	for _, t := range p.tools {
		had.add(t)
	}
	for _, b := range p.brought {
		for _, t := range b.tools {
			had.add(t)
		}
	}
	if was := s.catalog.Tab(p.ID); was != nil { // this State may know less, see Recover
		for _, t := range was.Tools {
			had.add(t.Source())
		}
	}
	return had
}

// overText and overRest are why tools are withheld that came too fast.
const (
	overText = "withheld: its tab has brought too many new or changed tools"
	overRest = ", more than %d within a minute (--rate-registrations). It is listed once the minute is over, if its " +
		"page has it then"
)

// refusedOver tells of tools that are too many.
func refusedOver(over []*PageTool, limit int) (all []offer.Refusal) {
	for i, t := range over {
		if i == maxHeldTold {
			return append(all, offer.Refusal{Tool: fmt.Sprintf("(%d more)", len(over)-i), Why: heldLikewise})
		}
		all = append(all, offer.Refusal{Tool: sanitize.Text(t.Name, maxRefusedName),
			Why: overText + fmt.Sprintf(overRest, limit)})
	}
	return all
}

// registrationsDue lets a page bring as many tools again as it brought then.
func (s *State) registrationsDue(e RegistrationsDue) {
	p := s.pages[e.Page]
	if p == nil {
		return
	}
	before := len(p.brought)
	p.brought = slices.DeleteFunc(p.brought, func(b brought) bool { return b.seq == e.Seq })
	if len(p.brought) < before && len(p.over) > 0 {
		s.show(p, p.settled())
	}
}

// tooFast is why the page's tool of that name is withheld because it came too fast, or "".
func (t *Tab) tooFast(name string) string {
	for _, r := range t.Refused {
		if r.Tool == sanitize.Text(name, maxRefusedName) && strings.HasPrefix(r.Why, overText) {
			return r.Why
		}
	}
	return ""
}
