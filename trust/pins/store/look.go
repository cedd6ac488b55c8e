package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"webmcphub/registry"
	"webmcphub/trust/pins"
)

// look notes the definitions in all catalogs that were served since the last look. Then it carries out the requests of
// Accept.
func (s *Store) look(ctx context.Context) {
	s.mu.Lock()
	pending, accepts := s.pending, s.accepts
	s.pending, s.accepts = nil, nil
	s.mu.Unlock()
	if len(pending) > 0 {
		s.last = pending[len(pending)-1]
	}
	found := map[string][]pins.Definition{}
	for _, c := range pending {
		s.find(c, found)
	}
	s.see(ctx, found)
	for _, a := range accepts {
		a.done <- s.accept(ctx, a)
	}
}

// catalogAgain looks at the last catalog again.
func (s *Store) catalogAgain(ctx context.Context) {
	if s.last == nil {
		return
	}
	found := map[string][]pins.Definition{}
	s.find(s.last, found)
	s.see(ctx, found)
}

// find adds to found, by origin, the definitions in those tabs of a catalog that have changed since the last catalog.
// It also notes which origins the tabs show.
func (s *Store) find(c *registry.Catalog, found map[string][]pins.Definition) {
	tabs := make(map[*registry.Tab]bool, len(c.Tabs()))
	shown := map[string]bool{}
	for _, tab := range c.Tabs() {
		tabs[tab] = true
		known := s.tabs[tab]
		shown[tab.Origin] = true
		for _, t := range tab.Tools {
			shown[t.Origin()] = true
			if !known {
				s.define(t.Source(), t.Origin(), tab.Origin, found)
			}
		}
		for _, h := range tab.Withheld {
			shown[h.Origin] = true
			if !known {
				s.define(h.Tool, h.Origin, tab.Origin, found)
			}
		}
	}
	s.tabs, s.shown = tabs, shown
}

// define adds a tool's definition, unless the hub made the tool itself or there is no origin to pin it to.
func (s *Store) define(t *registry.PageTool, origin, page string, found map[string][]pins.Definition) {
	d, owner, pinned := s.Book().Define(t, origin, page)
	if pinned && owner != "" {
		found[owner] = append(found[owner], d)
	}
}

// see adds definitions to the files of their origins if they are new there.
func (s *Store) see(ctx context.Context, found map[string][]pins.Definition) {
	if s.Book().IsBroken() != "" {
		return // nothing can be written
	}
	now := time.Now()
	var notes []Note
	changes := map[string]Change{}
	for origin, definitions := range found {
		if s.lost[pins.Key(origin)] != "" {
			continue // likewise
		}
		if known := s.Book().Site(origin); known != nil && known.Broken == "" {
			definitions = slices.DeleteFunc(definitions, func(d pins.Definition) bool {
				return known.Knows(&d) || known.IsCurrent(&d) || s.harmless(known, &d, now, &notes)
			})
			if len(definitions) == 0 {
				delete(s.unsaid, origin)
				continue
			}
		}
		s.unsaid[origin] = definitions
		changes[origin] = func(was *pins.Site) (*pins.Site, error) {
			is, drifted, err := seen(was, origin, definitions, now)
			for _, d := range drifted {
				notes = append(notes, Note{origin, d.Name, "drift", joined(is.Drift(&d))})
			}
			return is, err
		}
	}
	if len(changes) == 0 {
		s.note(notes)
		return
	}
	_ = s.edit(ctx, changes)
	for origin := range changes {
		if s.failing[origin] == "" {
			delete(s.unsaid, origin)
		}
	}
	s.note(notes)
}

// harmless reports whether a definition changes nothing that a person has to accept. It adds such a change to notes,
// once. During the first visit nothing is harmless, because all is accepted.
func (s *Store) harmless(known *pins.Site, d *pins.Definition, now time.Time, notes *[]Note) bool {
	if !known.Visit.IsOver(now) || known.Kept(d.Hash()) {
		return false
	}
	c := known.Compare(d, s.Book().IsTool)
	if len(c.Held) > 0 {
		return false
	}
	if h := d.Hash(); !s.noted[h] {
		if len(s.noted) >= maxNoted {
			clear(s.noted)
		}
		s.noted[h] = true
		*notes = append(*notes, Note{known.Origin, d.Name, "noted", joined(c.Noted)})
	}
	return true
}

// seen returns a site with these definitions noted, and those of them that drifted.
func seen(was *pins.Site, origin string, definitions []pins.Definition,
	now time.Time) (is *pins.Site, drifted []pins.Definition, err error) {
	is = pins.NewSite(origin, now)
	if was != nil {
		is = was.Clone()
	}
	changed := is.Tick(true, now)
	for _, d := range definitions {
		drift, new := is.Seen(d, now)
		if drift {
			drifted = append(drifted, d)
		}
		changed = changed || new
	}
	if !changed && was != nil {
		return was, nil, nil
	}
	return is, drifted, nil
}

// acceptedElsewhere returns a note for each definition that another process has accepted on a person's behalf. was
// may be nil.
func acceptedElsewhere(was, is *pins.Site) (notes []Note) {
	for _, e := range is.Accepted {
		if (e.By == pins.ByHand || e.By == pins.ByImport) && (was == nil || !was.Knows(&e.Definition)) {
			notes = append(notes, Note{is.Origin, e.Definition.Name, "accepted", e.By})
		}
	}
	return notes
}

// note reports drift and acceptance, and logs drift.
func (s *Store) note(notes []Note) {
	const most = 20
	drifts := 0
	for _, n := range notes {
		if s.o.Noted != nil {
			s.o.Noted(n)
		}
		switch {
		case n.What == "noted":
			s.o.Logger.Debug("a page's tool has changed in a way that needs no acceptance", "origin", n.Origin, "tool", n.Tool,
				"why", n.Why)
		case n.What == "drift":
			if drifts++; drifts <= most {
				s.o.Logger.Warn("a page's tool is not as it was accepted", "origin", n.Origin, "tool", n.Tool, "why", n.Why)
			}
		}
	}
	if drifts > most {
		s.o.Logger.Warn("more tools are not as they were accepted", "count", drifts-most)
	}
}

// accept carries out a request of Accept.
func (s *Store) accept(ctx context.Context, a accept) error {
	if err := a.ctx.Err(); err != nil { // Accept no longer waits for the result
		return err
	}
	now := time.Now()
	err := s.edit(ctx, map[string]Change{a.origin: func(was *pins.Site) (*pins.Site, error) {
		if was == nil {
			return nil, errors.New("nothing is pinned of " + a.origin + " any more")
		}
		is := was.Clone()
		_, err := is.AcceptThese(a.shown, a.by, now)
		return is, err
	}})
	if err == nil {
		for _, d := range a.shown {
			s.note([]Note{{a.origin, d.Name, "accepted", a.by}})
		}
	}
	return err
}
