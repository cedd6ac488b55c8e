package view

// surfaced decides what one client's list contains. It is used only for clients that see all tabs.
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

// list returns the list to show of what is served, with the _meta that describes it.
func (s *surfaced) list(now *ServedCatalog) Listing {
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

func staticList(now *ServedCatalog) Listing { return NewListing(now.own.Static, nil) }

// tells reports whether changes of pages' tools are announced to the client.
func (s *surfaced) tells(now *ServedCatalog) bool {
	switch s.kind {
	case Static:
		return false
	case ByUse:
		return s.auto.Tells(s.limit, now.Exceeds)
	}
	return true
}

// Called notes that the client calls a tool. unheard reports that another list of tools was announced to the client
// and it has not requested that list.
func (l *ClientView) Called(unheard bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.surfaced.auto.Called(unheard)
}

// Lists notes that the client requests its list of tools from the beginning. told reports that changes can be
// announced to the client at all; if they can't, only the length of its list counts.
func (l *ClientView) Lists(unheard, told bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.surfaced
	if s.kind != ByUse {
		return
	}
	if !told {
		s.auto = NewStatelessSurface()
		unheard = false
	}
	s.shown = s.auto.Lists(unheard, s.limit, l.look.now.Exceeds)
}
