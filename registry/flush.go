package registry

import (
	"cmp"
	"slices"
	"strings"
)

// flush brings names and catalog up to date and says what changed. visible says
// that clients can see a difference in what is offered.
func (s *State) flush() (effects []Effect, visible bool) {
	s.stale = false
	effects = s.rename()

	was, is := s.changed()
	was, is = s.reroute(was, is)
	offers := s.publishOffers()
	if len(was)+len(is) == 0 && offers == s.catalog.Offered() && s.upToDate() {
		return effects, false
	}
	withdraw, publish, changed := difference(was, is)
	visible = len(withdraw)+len(publish) > 0 || offers != s.catalog.Offered()

	s.catalog = s.catalog.next(withdraw, publish, s.tabs(), s.status.text)
	s.catalog.routed, s.catalog.offers = s.routes.published, offers
	effects = append(effects, Serve{s.catalog})
	if len(changed) > 0 {
		effects = append(effects, NotifyListChanged{s.inOrder(changed)})
	}
	return effects, visible
}

// upToDate says that the catalog shows all there is to show.
func (s *State) upToDate() bool {
	return s.catalog.browser == s.status.text && len(s.catalog.tabs) == len(s.order) &&
		!slices.ContainsFunc(s.order, func(p *page) bool { return p.view == nil })
}

// changed gives the published tools of all pages that differ from those that
// the catalog publishes, and takes note of the new state. Both lists are sorted
// by name; some tools may be in both.
func (s *State) changed() (was, is []*HubTool) {
	for _, tab := range s.catalog.tabs {
		if len(tab.shown) > 0 && s.pages[tab.Page] == nil {
			was = append(was, tab.shown...)
		}
	}
	for _, p := range s.order {
		shown := p.hub
		if sameList(p.shown, shown) {
			continue
		}
		before, after := trimmed(p.shown, shown)
		was, is = append(was, before...), append(is, after...)
		p.shown, p.view = shown, nil
	}
	slices.SortFunc(was, compareNames)
	slices.SortFunc(is, compareNames)
	return was, is
}

func compareNames(a, b *HubTool) int { return strings.Compare(a.Name, b.Name) }

// difference says by what sorted lists of tools differ, and for which pages a
// client sees a difference.
func difference(was, is []*HubTool) (withdraw []string, publish []*HubTool, changed map[PageID]bool) {
	changed = map[PageID]bool{}
	for len(was)+len(is) > 0 {
		var old, t *HubTool
		if len(is) == 0 || len(was) > 0 && was[0].Name <= is[0].Name {
			old, was = was[0], was[1:]
		}
		if len(is) > 0 && (old == nil || old.Name == is[0].Name) {
			t, is = is[0], is[1:]
		}
		switch {
		case t == old:
			continue
		case t == nil:
			withdraw = append(withdraw, old.Name)
			changed[old.Route.Page] = true
			continue
		case old == nil:
			changed[t.Route.Page] = true
		case string(old.Encoded) != string(t.Encoded) || !old.Identity().Same(t.Identity()):
			changed[t.Route.Page] = true
			changed[old.Route.Page] = true // if it is another, it lost the name
		}
		publish = append(publish, t)
	}
	return withdraw, publish, changed
}

// sameList is slices.Equal that needs not look at lists that are one.
func sameList(a, b []*HubTool) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// trimmed leaves out what two lists have in common at their beginning and end.
func trimmed(a, b []*HubTool) ([]*HubTool, []*HubTool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// tabs gives the catalog's view of all pages, reusing those that are unchanged.
func (s *State) tabs() []*Tab {
	tabs := make([]*Tab, len(s.order))
	for i, p := range s.order {
		if p.view == nil {
			p.view = p.newTab()
		}
		tabs[i] = p.view
	}
	return tabs
}

// inOrder lists pages by index, closed ones first.
func (s *State) inOrder(set map[PageID]bool) []PageID {
	type ranked struct {
		rank int
		id   PageID
	}
	all := make([]ranked, 0, len(set))
	for id := range set {
		rank := -1
		if p := s.pages[id]; p != nil {
			rank = p.Index
		}
		all = append(all, ranked{rank, id})
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id)) })
	ids := make([]PageID, len(all))
	for i, r := range all {
		ids[i] = r.id
	}
	return ids
}

func (p *page) newTab() *Tab {
	return &Tab{Page: p.ID, ID: p.Tab, Index: p.Index, URL: p.url, Origin: p.Origin, Title: p.title, State: p.state, Dialog: p.dialog, Arrived: p.arrived,
		Tools: p.hub, Refused: p.refused, Active: p.Active, Updated: p.updated, Proxied: p.proxied, record: record{p.shown, p.times, p.Gen, p.documents}}
}
