package registry

import "webmcphub/registry/sanitize"

// Most reports change one or two tools of a page whose tools all have their
// plain names. Then nothing else needs to be named: those that went give their
// names back, those that came take theirs if they are free. What comes of it is
// what naming the whole page would give; wherever that isn't certain, the whole
// page is named.

// startEdit compares what the page has with its hub tools, and takes back the
// names of those that went. Afterwards p.next has the hub tools that stay, and
// nil in the places of those that came. False means that the page has to be
// named as a whole.
func (s *State) startEdit(p *page) bool {
	if p.dirty || !p.allPlain || p.place >= s.options.MaxPages || len(p.tools) > s.options.MaxTools {
		return false
	}
	same := 0
	for same < len(p.hub.tools) && same < len(p.tools) && p.hub.tools[same].Source().Same(p.tools[same]) {
		same++
	}
	if same == len(p.hub.tools) && same == len(p.tools) {
		p.edited = false
		return true
	}
	p.next = make([]*HubTool, len(p.tools))
	copy(p.next, p.hub.tools[:same])
	was := p.hub.tools[same:]
	for i := same; i < len(p.tools); i++ {
		t := p.tools[i]
		for len(was) > 0 && goesBefore(was[0], t) {
			s.leave(p, was[0])
			was = was[1:]
		}
		switch {
		case len(was) == 0:
		case was[0].Source().Same(t):
			p.next[i] = was[0]
			was = was[1:]
		case was[0].Route.Frame == t.Frame && was[0].Route.Tool == t.Name: // registered anew, with another content
			s.leave(p, was[0])
			was = was[1:]
		}
	}
	for _, h := range was {
		s.leave(p, h)
	}
	return true
}

// goesBefore says that a page which still had t would have reported it before
// o. It is a guess: if it is wrong, a tool goes and comes back.
func goesBefore(t *HubTool, o *PageTool) bool {
	return t.Route.Frame != o.Frame || t.Route.Tool < o.Name
}

// leave takes the name of one hub tool back.
func (s *State) leave(p *page, h *HubTool) {
	s.free(p, h.Name)
	p.recentlyRemoved.keep(h)
}

// finishEdit names the tools that came. If that takes more than their plain
// names, or an earlier page took one of those that stay, the page is dirty and
// holds no names.
func (s *State) finishEdit(p *page) {
	for i := 0; i < len(p.next) && !p.dirty; i++ {
		if p.next[i] == nil {
			p.next[i] = s.join(p, p.tools[i])
			p.dirty = p.next[i] == nil
		}
	}
	if p.dirty {
		for _, h := range p.next {
			if h != nil && s.names[h.Name] == p {
				s.free(p, h.Name)
			}
		}
	} else {
		s.named(p, p.next)
		p.ranks = nil
	}
	p.edited, p.next = false, nil
}

// join makes a hub tool under the plain name if that is free, else returns nil.
func (s *State) join(p *page, t *PageTool) *HubTool {
	h := p.recentlyRemoved.find(t, p)
	if h != nil && h.Name != h.Plain() {
		h = nil
	}
	var l *sanitize.Tool
	var name string
	if h != nil {
		name = h.Name
	} else {
		if l = p.Clean(t); l.Refused != "" {
			return nil
		}
		name = p.PlainName(t.Name)
	}
	if s.names[name] != nil {
		return nil
	}
	if h == nil {
		h = p.Publish(t, l, name, name)
	}
	s.names[name] = p
	return h
}
