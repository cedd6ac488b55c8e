package registry

import (
	"fmt"
	"slices"
	"strings"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// maxBarred is how many refusals of documents a page gets.
const maxBarred = 20

// permitted returns those of p's reported tools whose page and frame may offer tools. It records the refusals of the
// other documents in p.barred, each once.
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
	pageWhy := p.Origins.Refusal(p.browserOrigin, p.url)
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

// asShown returns frames with the addresses that agents may read.
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

// maxHeldReasons is how many withheld tools of a page get a reason of their own.
const maxHeldReasons = 50

// heldLikewise is the reason for the others.
const heldLikewise = "withheld likewise"

// judge returns the mark of a tool of the page. If the tool must not be published, judge returns why instead, and
// adds the tool to held.
func (p *page) judge(t *PageTool, held *[]*offer.Held) (mark, why string) {
	v := p.Verdict(t)
	if v.Held == nil {
		return v.Mark, ""
	}
	if len(*held) >= maxHeldReasons {
		v.Held = func() string { return heldLikewise }
	}
	h := p.Withheld(t, v)
	*held = append(*held, h)
	return "", h.Why
}

// tooManyHeld returns a refusal for the withheld tools beyond maxHeldReasons.
func tooManyHeld(held []*offer.Held) []offer.Refusal {
	if len(held) <= maxHeldReasons {
		return nil
	}
	return []offer.Refusal{{Tool: fmt.Sprintf("(%d more)", len(held)-maxHeldReasons), Why: heldLikewise}}
}

// withheldNow returns the withheld tool that matches one that a client knew, or nil. Another document may have
// registered it since.
func (t *Tab) withheldNow(was offer.Identity) *offer.Held {
	for _, h := range t.Withheld {
		if h.Tool.Name == was.Name && h.Tool.Frame == was.Frame && t.Origin == was.Origin {
			return h
		}
	}
	return nil
}

// WithheldNow returns the tool that a client knew by name in the catalog seen, if the tool is withheld in now; else
// nil. seen may be nil.
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

// judgeAgain judges all tools again. Pages with a tool whose state has changed name their tools again.
func (s *State) judgeAgain(e PinsChanged) {
	s.options.Pins, s.maker.Pins = e.Pins, e.Pins
	s.sites.PinsChanged()
	s.stale = true
	for _, p := range s.order {
		p.dirty = p.dirty || p.standsOtherwise()
	}
}

// standsOtherwise reports whether any of the page's tools is published or withheld, and no longer should be.
func (p *page) standsOtherwise() bool {
	if len(p.withheld) > 0 {
		return true // the differences in its reason may have changed
	}
	marks := make(map[*PageTool]string, len(p.hub.tools))
	for _, h := range p.hub.tools {
		marks[h.Source()] = h.Mark()
	}
	return slices.ContainsFunc(p.tools, func(t *PageTool) bool {
		v := p.Verdict(t)
		mark, published := marks[t]
		return published && (v.Held != nil || mark != v.Mark)
	})
}

// withhold records which of the page's tools are withheld.
func (p *page) withhold(held []*offer.Held) {
	same := slices.EqualFunc(p.withheld, held, func(a, b *offer.Held) bool { return *a == *b })
	if !same {
		p.withheld, p.view = held, nil
	}
}

// registrationRate records which tools a tab has registered lately, if [Options.Registrations] limits that. It outlives
// the tab's documents; otherwise a page could get around the limit by reloading itself.
type registrationRate struct {
	brought []brought       // oldest first
	over    []offer.Refusal // the tools withheld because there were too many
}

// brought are tools that came in one step. They count until [RegistrationsDue].
type brought struct {
	seq   uint64
	tools []*PageTool
}

// withinRate returns those of p's permitted tools that don't come too fast, and records the withheld ones in p.over. A
// withheld tool is shown when the period of earlier ones is over, if the page still has it then. Tools that return
// unchanged count as nothing new, and so do tools that the hub itself makes of a page.
func (s *State) withinRate(p *page, tools []*PageTool) []*PageTool {
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
		s.effects = append(s.effects, ArmRegistrations{p.ID, s.brought})
	}
	if refused := refusedOver(over, limit); !slices.Equal(p.over, refused) {
		p.over, p.dirty, s.stale = refused, true, true
	}
	return may
}

// known has tools by name.
type known map[string][]*PageTool

func (k known) add(t *PageTool) { k[t.Name] = append(k[t.Name], t) }

func (k known) has(t *PageTool) bool {
	return slices.ContainsFunc(k[t.Name], func(o *PageTool) bool { return t == o || t.Repeats(o) })
}

// lately returns the tools that p has, or had so recently that they still count.
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
	if was := s.catalog.Tab(p.ID); was != nil { // after Recover this State may know less than the catalog
		for _, t := range was.Tools {
			had.add(t.Source())
		}
	}
	return had
}

// overText and overRest say why tools that came too fast are withheld.
const (
	overText = "withheld: its tab has brought too many new or changed tools"
	overRest = ", more than %d within a minute (--rate-registrations). It is listed once the minute is over, if its " +
		"page has it then"
)

// refusedOver returns refusals for the tools beyond the limit.
func refusedOver(over []*PageTool, limit int) (all []offer.Refusal) {
	for i, t := range over {
		if i == maxHeldReasons {
			return append(all, offer.Refusal{Tool: fmt.Sprintf("(%d more)", len(over)-i), Why: heldLikewise})
		}
		all = append(all, offer.Refusal{Tool: sanitize.Text(t.Name, maxRefusedName),
			Why: overText + fmt.Sprintf(overRest, limit)})
	}
	return all
}

// registrationsDue lets the page register as many tools again as it registered in that step.
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

// tooFast returns the reason if the page's tool of that name is withheld because it came too fast, or "".
func (t *Tab) tooFast(name string) string {
	for _, r := range t.Refused {
		if r.Tool == sanitize.Text(name, maxRefusedName) && strings.HasPrefix(r.Why, overText) {
			return r.Why
		}
	}
	return ""
}
