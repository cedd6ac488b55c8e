package registry

// Most reports change one or two tools of a page whose tools all have their
// plain names. Then those that stay can keep theirs: only those that went give
// theirs back, and those that came are named.

// compare compares what the page has with its hub tools, and takes back the names of
// those that went. Afterwards p.next has the hub tools that stay, and nil in the places
// of those that came. Where none can be sure to keep its name, the page is dirty.
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
		case was[0].Route.Frame == t.Frame && was[0].Route.Tool == t.Name: // registered anew, with another content
			s.remove(p, was[0])
			was = was[1:]
		}
	}
	for _, h := range was {
		s.remove(p, h)
	}
}

// goesBefore says that a page which still had t would have reported it before
// o. It is a guess: if it is wrong, a tool goes and comes back.
func goesBefore(t *HubTool, o *PageTool) bool {
	return t.Route.Frame != o.Frame || t.Route.Tool < o.Name
}

// remove takes back the name of a hub tool that went, and keeps the tool for a while.
func (s *State) remove(p *page, h *HubTool) {
	s.free(p, h.Name)
	p.recentlyRemoved.keep(h)
}

// recentlyRemoved are hub tools of a page that are gone: a page that registers one
// again, as many do at every render, gets it back as it was. They belong to
// their page and end with its document.
type recentlyRemoved map[registration]*HubTool

// registration is what a page replaces when it registers a tool again.
type registration struct {
	frame FrameID
	name  string
}

// maxRemoved is how many a page keeps.
const maxRemoved = 256

func (r *recentlyRemoved) keep(h *HubTool) {
	if *r == nil || len(*r) >= maxRemoved {
		*r = recentlyRemoved{}
	}
	(*r)[registration{h.Route.Frame, h.Route.Tool}] = h
}

// find gives the removed hub tool of the same content, made for the same page
// index and domain, or nil.
func (r recentlyRemoved) find(t *PageTool, p *page) *HubTool {
	h := r[registration{t.Frame, t.Name}]
	if h == nil || !h.MadeFor(&p.Page) || !h.Source().Same(t) {
		return nil
	}
	return h
}
