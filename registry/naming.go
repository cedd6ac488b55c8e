package registry

import (
	"fmt"
	"slices"
	"strconv"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// claims are the names that pages hold and want.
type claims struct {
	names  map[string]*page          // who holds each name, published or not
	wanted map[string]map[*page]bool // the pages that wanted a name that another page holds
	work   []*page                   // reused by rename
}

// rename gives names to every page that is out of date. It serves pages in index order, so the outcome depends on
// nothing but the pages themselves. A page may take a name from a later page, which then looks for another one. A
// page that had to do without a name looks again when the name is free.
func (s *State) rename() (refusals []Effect) {
	for {
		// Take back the names first, so that pages can swap theirs.
		work := s.work[:0]
		for _, p := range s.order {
			if p.edited && !p.dirty {
				s.compare(p)
			}
			if p.dirty {
				s.release(p, p.hub.tools)
				p.next = make([]*HubTool, len(p.tools))
			}
			if p.dirty || p.edited {
				work = append(work, p)
			}
		}
		s.work = work
		if len(work) == 0 {
			return refusals
		}
		for _, p := range work {
			refusals = append(refusals, s.nameTools(p)...)
		}
		clear(work)
	}
}

// nameTools names, cleans and publishes the page's tools, except those that p.next keeps. The page stays or becomes
// dirty, and keeps no tool, in two cases: a new tool can't get its plain name, or an earlier page took the name of a
// tool that stays.
func (s *State) nameTools(p *page) (refusals []Effect) {
	whole := p.dirty
	if whole {
		s.release(p, p.next) // if it became dirty after compare
		clear(p.next)
	}
	var reuse map[*PageTool]*HubTool
	if whole {
		reuse = make(map[*PageTool]*HubTool, len(p.hub.tools))
		for _, t := range p.hub.tools {
			reuse[t.Source()] = t
		}
	}
	p.dirty, p.edited, p.ranks = false, false, nil
	tools, over := s.allowed(p)
	hub, allPlain := p.next[:0], over == nil
	var refused []offer.Refusal
	var held []*offer.Held
	for i, t := range tools {
		if kept := p.next[i]; kept != nil {
			hub = append(hub, kept)
			continue
		}
		h, clean, plain := s.known(p, t, reuse[t])
		name, why, mark := "", clean.Refused, ""
		if why == "" {
			mark, why = p.judge(t, &held)
		}
		if why == "" {
			if name = s.claim(p, t, plain); name == "" {
				why = "no free name could be found for it"
			}
		}
		allPlain = allPlain && name == plain
		switch {
		case !whole && !allPlain:
			if name != "" {
				s.free(p, name)
			}
			s.release(p, p.next)
			p.dirty = true
			return nil
		case why == heldLikewise:
			continue
		case why != "":
			refused = append(refused, offer.Refusal{Tool: sanitize.Text(t.Name, maxRefusedName), Why: why})
			continue
		case h == nil || h.Name != name || h.Mark() != mark:
			h = p.Publish(t, clean, name, plain, mark)
		}
		hub = append(hub, h)
	}
	p.next, p.allPlain = nil, allPlain
	p.withhold(held)
	if !slices.Equal(p.hub.tools, hub) {
		s.named(p, hub)
	}
	return p.refuse(p.others(refused, held, over))
}

// maxRefusedName is how long the name in a refusal may be, in bytes.
const maxRefusedName = 128

// others adds the refusals that concern more than one tool of the page.
func (p *page) others(refused []offer.Refusal, held []*offer.Held, over *offer.Refusal) []offer.Refusal {
	refused = append(append(append(refused, p.barred...), p.over...), tooManyHeld(held)...)
	if over != nil {
		refused = append(refused, *over)
	}
	return refused
}

// refuse records which tools can't be published, and returns the new refusals.
func (p *page) refuse(refused []offer.Refusal) (news []Effect) {
	if !slices.Equal(p.refused, refused) {
		p.refused, p.view = refused, nil
	}
	return p.reportedRefusals.news(p.ID, refused)
}

// reportedRefusals is the set of refusals that were reported already.
type reportedRefusals map[offer.Refusal]bool

// news returns effects for the new ones among refused, which has all current refusals.
func (t *reportedRefusals) news(page PageID, refused []offer.Refusal) (news []Effect) {
	if len(refused)+len(*t) == 0 {
		return nil
	}
	now := reportedRefusals{}
	for _, r := range refused {
		if !(*t)[r] && !now[r] {
			news = append(news, ReportRefusal{page, r.Tool, r.Why})
		}
		now[r] = true
	}
	*t = now
	return news
}

// known returns the hub tool that was made of t for the same page index and domain, or nil. It also returns t's
// cleaned schemas and plain name: from that hub tool, or newly computed.
func (s *State) known(p *page, t *PageTool, h *HubTool) (*HubTool, *sanitize.Tool, string) {
	if h == nil {
		h = p.recentlyRemoved.find(t, p)
	}
	switch {
	case h == nil:
		return nil, p.Clean(t), p.PlainName(t.Name)
	case !h.MadeFor(&p.Page):
		return nil, h.Clean(), p.PlainName(t.Name)
	}
	return h, h.Clean(), h.Plain()
}

// allowed returns the tools of p that are within the limits, and the refusal of the others; nil if there are none.
func (s *State) allowed(p *page) (tools []*PageTool, over *offer.Refusal) {
	switch {
	case len(p.tools) > 0 && p.place >= s.options.MaxPages:
		return nil, &offer.Refusal{Tool: offer.AllTools, Why: fmt.Sprintf("more than %d pages are open; close some, "+
			"or raise --max-pages", s.options.MaxPages)}
	case len(p.tools) > s.options.MaxTools:
		return p.tools[:s.options.MaxTools], &offer.Refusal{
			Tool: fmt.Sprintf("(all after the first %d)", s.options.MaxTools),
			Why:  fmt.Sprintf("the page has more than %d tools; --max-tools-per-page allows more", s.options.MaxTools),
		}
	}
	return p.tools, nil
}

// claim returns the first name for t that no page of the same or a smaller index holds. It tries t's plain name
// first.
func (s *State) claim(p *page, t *PageTool, plain string) string {
	name := names.First(plain, func(name string) bool { return s.mayHold(p, name) }, func(attempt int) string {
		key := strconv.Itoa(p.frameRank(t.Frame)) + "\x00" + t.Name
		return p.DistinctName(t.Name, key, attempt)
	})
	if name != "" {
		s.names[name] = p
	}
	return name
}

// mayHold reports whether p may have a name. A page takes the name from a later page.
func (s *State) mayHold(p *page, name string) bool {
	holder := s.names[name]
	switch {
	case holder == nil:
		return true
	case holder == p:
		return false
	case holder.Index > p.Index:
		holder.dirty = true // holder must look again, after this page
		s.want(name, holder)
		return true
	}
	s.want(name, p)
	return false
}

// frameRank returns the number of a frame; the page's frames are numbered in the order of their tools.
func (p *page) frameRank(f FrameID) int {
	if p.ranks == nil {
		p.ranks = map[FrameID]int{}
		for _, t := range p.tools {
			if _, seen := p.ranks[t.Frame]; !seen {
				p.ranks[t.Frame] = len(p.ranks)
			}
		}
	}
	return p.ranks[f]
}

func (s *State) want(name string, p *page) {
	if s.wanted[name] == nil {
		s.wanted[name] = map[*page]bool{}
	}
	s.wanted[name][p] = true
}

// release takes back the names that p holds for some of its tools. Entries may be nil.
func (s *State) release(p *page, tools []*HubTool) {
	for _, t := range tools {
		if t != nil && s.names[t.Name] == p {
			s.free(p, t.Name)
		}
	}
}

// free takes back a name that p holds, and marks the pages that wanted it dirty.
func (s *State) free(p *page, name string) {
	delete(s.names, name)
	wanted := s.wanted[name]
	if wanted == nil {
		return
	}
	for q := range wanted {
		if q != p && s.pages[q.ID] == q {
			q.dirty = true
			s.touch(q)
		}
	}
	delete(s.wanted, name)
}
