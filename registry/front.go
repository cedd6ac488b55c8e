package registry

import "webmcphub/registry/offer"

// The code below tracks which tab the user looks at. State reports a switch once, and only if the user made it: not
// if the hub brought the tab to the front, not if the tab came to the front because another was closed, and not for
// the first tab that is reported.

// PageInFront says that the user sees the page: its tab is at the front of the window that has the focus.
type PageInFront struct{ Page PageID }

// ActivatedByHub says that the hub itself brings a page to the front, or, with Closed, closes it.
type ActivatedByHub struct {
	Page   PageID
	Closed bool
}

// FoundInFront says that a page was at the front when its browser was found. It is no switch, and counts only while no
// page in front is known.
type FoundInFront struct{ Page PageID }

// UserSwitched says that the user brought a page to the front. Clients may follow it with their focus.
type UserSwitched struct{ Page PageID }

func (PageInFront) event()    {}
func (ActivatedByHub) event() {}
func (FoundInFront) event()   {}
func (UserSwitched) effect()  {}

func (s *State) pageShown(id PageID) {
	if s.listed(id) == nil || s.front == id {
		return
	}
	if s.front != "" {
		s.effects = append(s.effects, UserSwitched{id})
	}
	s.inFront(id)
}

func (s *State) frontFound(id PageID) {
	if s.listed(id) != nil && s.listed(s.front) == nil {
		s.inFront(id)
	}
}

func (s *State) frontTaken(e ActivatedByHub) {
	switch {
	case !e.Closed:
		s.inFront(e.Page)
	case s.front == e.Page:
		s.inFront("")
	}
}

// inFront records the user's tab. Catalogs have it, and MCP-B's descriptions mark it.
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
