package registry

import (
	"maps"
	"slices"
	"strings"
	"webmcphub/registry/offer"
)

// flush brings names and the catalog up to date, and returns the effects. visible reports whether clients can see a
// difference.
func (s *State) flush() (effects []Effect, visible bool) {
	s.stale = false
	effects = s.rename()

	was, is := s.changed()
	tabs, same := s.catalog.tabs, s.upToDate()
	if !same {
		tabs = s.tabs()
	}
	was, is = s.reroute(tabs, was, is)
	offers := s.publishOffers()
	if len(was)+len(is) == 0 && offers == s.catalog.Offered() && same {
		return effects, false
	}
	withdraw, publish, changed := difference(was, is)
	visible = len(withdraw)+len(publish) > 0 || offers != s.catalog.Offered()

	s.catalog = s.catalog.next(withdraw, publish, tabs, s.browserStatus)
	s.catalog.routed, s.catalog.offers, s.catalog.front = s.sites.Published(), offers, s.front
	effects = append(effects, SetCatalog{s.catalog})
	if len(changed) > 0 {
		effects = append(effects, NotifyListChanged{slices.Sorted(maps.Keys(changed))})
	}
	return effects, visible
}

// upToDate reports whether the catalog shows everything that there is to show.
func (s *State) upToDate() bool {
	return s.catalog.browserStatus == s.browserStatus && s.catalog.front == s.front && len(s.catalog.tabs) == len(s.order) &&
		!slices.ContainsFunc(s.order, func(p *page) bool { return p.view == nil })
}

// changed returns the published tools of all pages where they differ from the catalog's: was has the old ones, is the
// new ones. It also records the new state. Both lists are sorted by name; a tool may be in both.
func (s *State) changed() (was, is []*HubTool) {
	for _, tab := range s.catalog.tabs {
		if s.listed(tab.Page) == nil {
			was = append(was, tab.Shown...)
			s.sites.Changed(&tab.SiteTab, nil)
		}
	}
	for _, p := range s.order {
		if p.shown.same(p.hub) {
			continue
		}
		before, after := trimmed(p.shown.tools, p.hub.tools)
		was, is = append(was, before...), append(is, after...)
		p.shown, p.view = p.hub, nil
	}
	slices.SortFunc(was, compareNames)
	slices.SortFunc(is, compareNames)
	return was, is
}

func compareNames(a, b *HubTool) int { return strings.Compare(a.Name, b.Name) }

// difference compares two sorted lists of tools. changed has the pages for which a client sees a difference.
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
			changed[old.Route.Page] = true // if old belongs to another page, that page lost the name
		}
		publish = append(publish, t)
	}
	return withdraw, publish, changed
}

// trimmed removes what two lists have in common at their beginning and end.
func trimmed(a, b []*HubTool) ([]*HubTool, []*HubTool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// reroute brings the tools of sites up to date, and adds those that changed to the sorted lists was and is.
func (s *State) reroute(tabs []*Tab, was, is []*HubTool) ([]*HubTool, []*HubTool) {
	if s.options.Naming != offer.MCPBNames {
		return was, is
	}
	published := s.sites.Published()
	s.sites.Update(siteTabs(tabs), func(name string) bool { return s.names[name] != nil })
	before, after := trimmed(published, s.sites.Published())
	if len(before)+len(after) > 0 {
		was, is = append(was, before...), append(is, after...)
		slices.SortFunc(was, compareNames)
		slices.SortFunc(is, compareNames)
	}
	return was, is
}

// tabs returns the catalog's view of all pages, and reuses the views of unchanged pages.
func (s *State) tabs() []*Tab {
	tabs := make([]*Tab, len(s.order))
	for i, p := range s.order {
		if p.view == nil {
			p.view = s.newTab(p)
			var was *offer.SiteTab
			if old := s.catalog.Tab(p.ID); old != nil {
				was = &old.SiteTab
			}
			s.sites.Changed(was, &p.view.SiteTab)
		}
		tabs[i] = p.view
	}
	return tabs
}

func (s *State) newTab(p *page) *Tab {
	allowed, _ := s.allowed(p)
	var capable offer.BrowserCapabilities
	if s.offersShow(p) {
		capable = p.offers.browser
	}
	return &Tab{
		SiteTab: offer.SiteTab{Page: p.ID, ID: p.Tab, URL: p.url, Origin: p.Origin, Site: p.Site, State: p.state,
			Active: p.Active, Updated: p.updated, Proxied: p.proxied,
			Shown: p.shown.tools, Version: p.shown.version},
		Index: p.Index, Browser: p.Browser, Title: p.title, Dialog: p.dialog, Arrived: p.arrived,
		Readiness: p.readiness, Tools: p.hub.tools, Refused: p.refused, Withheld: p.withheld,
		record: record{p.times, p.Gen, p.Origins, allowed, capable, p.Origins.Address(p.Origin, p.url), p.documents},
	}
}
