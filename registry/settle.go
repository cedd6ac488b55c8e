package registry

import (
	"slices"
	"webmcphub/registry/offer"
)

// maxSettleRounds bounds for how many windows a page that is never quiet can
// put off what it shows.
const maxSettleRounds = 10

// settling holds back what a page changes but additions, until it has been
// quiet for a while: some frameworks take all of a page's tools away and
// register them again at every render.
type settling struct {
	reported []*PageTool // what the page said last; page.tools is what is shown of it
	on       bool
	again    bool // the page has changed its tools since the timer was armed
	rounds   int
	seq      uint64 // of the timer that counts
}

// report takes a page's tools. Additions show at once, everything else when
// the page has settled.
func (s *State) report(p *page, tools []*PageTool) {
	p.reported = tools
	if !s.options.Settle {
		s.show(p, tools)
		return
	}
	held := p.held()
	if slices.Equal(held, tools) && !p.on {
		s.show(p, tools)
		return
	}
	s.show(p, held)
	if p.on {
		p.again = true
		return
	}
	p.on, p.rounds = true, 0
	s.armSettle(p)
}

// settled is what a page shows now of what it reported last.
func (p *page) settled() []*PageTool {
	if p.on {
		return p.held()
	}
	return p.reported
}

// held is what a page shows while it settles: the tools that it showed, as far
// as their documents still exist, and those that it has added.
func (p *page) held() (held []*PageTool) {
	kept := map[registration]bool{}
	for _, t := range p.tools {
		if p.hasDocument(t.Frame, t.Doc) {
			held = append(held, t)
			kept[registration{t.Frame, t.Name}] = true
		}
	}
	for _, t := range p.reported {
		if !kept[registration{t.Frame, t.Name}] {
			held = append(held, t)
		}
	}
	return held
}

// hasDocument says whether a frame of the page still shows that document.
func (p *page) hasDocument(frame FrameID, doc Gen) bool {
	i := slices.IndexFunc(p.frames, func(f Frame) bool { return f.ID == frame })
	if i < 0 {
		return doc == p.Gen
	}
	return p.frames[i].Doc == doc
}

func (s *State) show(p *page, tools []*PageTool) {
	tools = s.paced(p, s.permitted(p, tools))
	if !slices.Equal(p.tools, tools) {
		p.tools, p.edited = tools, true
		if s.options.Naming == offer.MCPBNames {
			s.updates++
			p.updated, p.view = s.updates, nil
		}
		s.stale = true
	}
}

func (s *State) armSettle(p *page) {
	p.again = false
	p.seq++
	s.asked = append(s.asked, ArmSettle{p.ID, p.seq})
}

// settleDue ends the waiting if the page was quiet meanwhile.
func (s *State) settleDue(e SettleDue) {
	p := s.pages[e.Page]
	if p == nil || !p.on || p.seq != e.Seq {
		return
	}
	if p.again && p.rounds < maxSettleRounds {
		p.rounds++
		s.armSettle(p)
		return
	}
	p.on = false
	s.show(p, p.reported)
}

// unsettle forgets what is held back, when the document is gone.
func (p *page) unsettle() { p.settling = settling{seq: p.seq} }
