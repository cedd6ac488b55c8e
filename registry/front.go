package registry

import "webmcphub/registry/offer"

// Which tab the user looks at. A switch is told once, and only where it is the
// user's: not when the hub brought the tab to the front, not when it came there
// because the one before it was closed, and not for the first that is heard of.

// PageShown says that the user sees the page: its tab is at the front of the
// window that has the focus.
type PageShown struct{ Page PageID }

// FrontTaken says that the hub itself brings a page to the front, or closes it
// if Closed.
type FrontTaken struct {
	Page   PageID
	Closed bool
}

// FrontFound says that a page was at the front when its browser was found. It
// is no switch, and counts while no page is known there.
type FrontFound struct{ Page PageID }

// UserSwitched says that the user brought a page to the front; clients may
// follow it with their focus.
type UserSwitched struct{ Page PageID }

func (PageShown) event()     {}
func (FrontTaken) event()    {}
func (FrontFound) event()    {}
func (UserSwitched) effect() {}

func (s *State) pageShown(id PageID) {
	if s.pages[id] == nil || s.front == id {
		return
	}
	if s.front != "" {
		s.asked = append(s.asked, UserSwitched{id})
	}
	s.inFront(id)
}

func (s *State) frontFound(id PageID) {
	if s.pages[id] != nil && s.pages[s.front] == nil {
		s.inFront(id)
	}
}

func (s *State) frontTaken(e FrontTaken) {
	switch {
	case !e.Closed:
		s.inFront(e.Page)
	case s.front == e.Page:
		s.inFront("")
	}
}

// inFront takes note of the user's tab, which catalogs tell, and MCP-B's descriptions mark.
func (s *State) inFront(id PageID) {
	was, is := s.pages[s.front], s.pages[id]
	s.front, s.stale = id, true
	if s.options.Naming != offer.MCPBNames {
		return
	}
	for _, p := range []*page{was, is} {
		if p != nil && p.Active != (p == is) {
			p.Active, p.dirty = p == is, true
			s.touch(p)
		}
	}
}
