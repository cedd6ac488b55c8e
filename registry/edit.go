package registry

// Most reports change one or two tools of a page whose tools all have their plain names. In that case the other tools
// can keep their names: only the tools that went give their names back, and only the new tools are named.

// compare compares the page's tools with its hub tools, and takes back the names of the tools that went. Afterwards
// p.next has the hub tools that stay, and nil in the places of new tools. If the tools can't be sure to keep their
// names, compare marks the page dirty instead.
func (s *State) compare(p *page) {
	if !p.allPlain || p.place >= s.options.MaxPages || len(p.tools) > s.options.MaxTools {
		p.edited, p.dirty = false, true
		return
	}
	same := 0
	for same < len(p.hub.tools) && same < len(p.tools) && p.hub.tools[same].Source().Same(p.tools[same]) {
		same++
	}
	if same == len(p.hub.tools) && same == len(p.tools) {
		p.edited = false
		return
	}
	p.next = make([]*HubTool, len(p.tools))
	copy(p.next, p.hub.tools[:same])
	was := p.hub.tools[same:]
	for i := same; i < len(p.tools); i++ {
		t := p.tools[i]
		for len(was) > 0 && goesBefore(was[0], t) {
			s.remove(p, was[0])
			was = was[1:]
		}
		switch {
		case len(was) == 0:
		case was[0].Source().Same(t):
			p.next[i] = was[0]
			was = was[1:]
		case was[0].Route.Frame == t.Frame && was[0].Route.Tool == t.Name: // the page replaced the tool by one with other content
			s.remove(p, was[0])
			was = was[1:]
		}
	}
	for _, h := range was {
		s.remove(p, h)
	}
}

// goesBefore guesses that a page that still had t would have reported t before o. If the guess is wrong, a tool goes
// and comes back.
func goesBefore(t *HubTool, o *PageTool) bool {
	return t.Route.Frame != o.Frame || t.Route.Tool < o.Name
}

// remove takes back the name of a hub tool that went, and remembers the tool in recentlyRemoved.
func (s *State) remove(p *page, h *HubTool) {
	s.free(p, h.Name)
	p.recentlyRemoved.keep(h)
}

// recentlyRemoved has hub tools that the page took away. Many pages register a tool again at every render; such a
// tool gets its old hub tool back. The map belongs to the page and ends with its document.
type recentlyRemoved map[registration]*HubTool

// registration identifies what a page replaces when it registers a tool again.
type registration struct {
	frame FrameID
	name  string
}

// maxRemoved is how many removed tools a page remembers.
const maxRemoved = 256

func (r *recentlyRemoved) keep(h *HubTool) {
	if *r == nil || len(*r) >= maxRemoved {
		*r = recentlyRemoved{}
	}
	(*r)[registration{h.Route.Frame, h.Route.Tool}] = h
}

// find returns the removed hub tool with the same content that was made for the same page index and domain, or nil.
func (r recentlyRemoved) find(t *PageTool, p *page) *HubTool {
	h := r[registration{t.Frame, t.Name}]
	if h == nil || !h.MadeFor(&p.Page) || !h.Source().Same(t) {
		return nil
	}
	return h
}
