package registry

import (
	"slices"
	"webmcphub/registry/offer"
)

// maxSettleRounds is the number of settle windows for which a page that is never quiet can delay its changes.
const maxSettleRounds = 10

// settling holds back a page's changes, except new tools, until the page has been quiet for a while. Some frameworks
// remove all of a page's tools and register them again at every render.
type settling struct {
	reported []*PageTool // the page's last report; page.tools is what is shown of it
	on       bool
	again    bool // the page has changed its tools since the timer was armed
	rounds   int
	seq      uint64 // of the timer that counts
}

// report records a page's tools. New tools show at once, all other changes when the page has settled.
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

// settled returns what the page shows now of its last report.
func (p *page) settled() []*PageTool {
	if p.on {
		return p.held()
	}
	return p.reported
}

// held returns what a page shows while it settles: the tools that it showed, if their documents still exist, and new
// tools.
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

// hasDocument reports whether a frame of the page still shows that document.
func (p *page) hasDocument(frame FrameID, doc Gen) bool {
	i := slices.IndexFunc(p.frames, func(f Frame) bool { return f.ID == frame })
	if i < 0 {
		return doc == p.Gen
	}
	return p.frames[i].Doc == doc
}

func (s *State) show(p *page, tools []*PageTool) {
	tools = s.withinRate(p, s.permitted(p, tools))
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
	s.effects = append(s.effects, ArmSettle{p.ID, p.seq})
}

// settleDue ends the waiting if the page has been quiet since.
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

// unsettle forgets what is held back, because the document is gone.
func (p *page) unsettle() { p.settling = settling{seq: p.seq} }
