package view

import ()

// surfaced is what one client's list shows, of a client that sees all tabs.
type surfaced struct {
	kind  Surface
	limit int // in tokens, for ByUse
	shown Surface
	auto  AutoSurface
}

func newSurfaced(v View) surfaced {
	s := surfaced{kind: v.Surface, limit: v.SurfaceTokens, shown: All}
	if v.Mode != AllTabs {
		s.kind = All
	}
	if s.limit == 0 {
		s.limit = DefaultTokens
	}
	if s.kind == Static {
		s.shown = Static
	}
	return s
}

// list is the list that it shows of what is served, with what it says of itself.
func (s *surfaced) list(now *Served) Listing {
	l := now.List()
	if s.shown == Static {
		l = staticList(now)
	}
	switch s.kind {
	case Static:
		l.Meta = StaticMeta
	case ByUse:
		l.Meta = s.auto.Meta(s.limit)
	}
	return l
}

func staticList(now *Served) Listing { return NewListing(now.own.Static, nil) }

// tells says whether the client is told that pages' tools changed.
func (s *surfaced) tells(now *Served) bool {
	switch s.kind {
	case Static:
		return false
	case ByUse:
		return s.auto.Tells(s.limit, now.Exceeds)
	}
	return true
}

// Called notes that the client calls a tool. unheard says that it was told of another list
// of tools and has not asked for that.
func (l *ClientView) Called(unheard bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.surfaced.auto.Called(unheard)
}

// Lists notes that the client asks for its list of tools, from the beginning. told says
// that it can be told of changes at all: if it can't, only its list's length counts.
func (l *ClientView) Lists(unheard, told bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.surfaced
	if s.kind != ByUse {
		return
	}
	if !told {
		s.auto = Untold()
		unheard = false
	}
	s.shown = s.auto.Lists(unheard, s.limit, l.look.now.Exceeds)
}
