package offer

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"webmcphub/registry/names"
)

// Sites has the tools of all sites. It makes tools again only for sites whose tabs or cached tools have changed. It
// belongs to one goroutine.
type Sites struct {
	maker     *Maker
	published []*HubTool               // sorted by name
	sites     map[string][]*HubTool    // sorted by tool; tools without a name are not published
	order     []string                 // the sites, sorted
	dirty     map[string]bool          // sites with changes
	cached    map[string][]*CachedTool // by site
}

// NewSites returns a Sites that knows no tabs and no cached tools yet.
func NewSites(m *Maker) *Sites {
	return &Sites{maker: m, sites: map[string][]*HubTool{}, dirty: map[string]bool{}}
}

// Recover returns a Sites to go on with when t can't be trusted. It knows the served tools and the cached ones.
func (t *Sites) Recover(m *Maker, served []*HubTool) *Sites {
	n := NewSites(m)
	n.published, n.cached = served, t.cached
	for _, h := range served {
		n.sites[h.SiteTool.Site] = append(n.sites[h.SiteTool.Site], h)
		n.dirty[h.SiteTool.Site] = true
	}
	for _, tools := range n.sites {
		slices.SortFunc(tools, byTool)
	}
	n.order = slices.Sorted(maps.Keys(n.sites))
	for site := range n.cached {
		n.dirty[site] = true
	}
	return n
}

// Published returns the sites' tools, sorted by name.
func (t *Sites) Published() []*HubTool { return t.published }

// Changed records that a tab has changed from was to is. nil means that the tab doesn't exist.
func (t *Sites) Changed(was, is *SiteTab) {
	if was != nil && is != nil && was.inputs() == is.inputs() {
		return
	}
	// The site "" has the tabs of no site. They hold names as well.
	for _, tab := range []*SiteTab{was, is} {
		if tab != nil {
			t.dirty[tab.Site] = true
		}
	}
}

// inputs are the parts of a tab that its site's tools are made of.
type inputs struct {
	site, state, url string
	updated, version uint64
}

func (t *SiteTab) inputs() inputs { return inputs{t.Site, t.State, t.URL, t.Updated, t.Version} }

// SetCached sets the whole set of tools that outlive their tabs.
func (t *Sites) SetCached(tools []CachedTool) {
	was := t.cached
	t.cached = map[string][]*CachedTool{}
	for i := range tools {
		if c := &tools[i]; c.Site != "" {
			t.cached[c.Site] = append(t.cached[c.Site], c)
		}
	}
	for site, now := range t.cached {
		if !slices.EqualFunc(was[site], now, (*CachedTool).same) {
			t.dirty[site] = true
		}
	}
	for site := range was {
		if t.cached[site] == nil {
			t.dirty[site] = true
		}
	}
}

// PinsChanged makes the next Update make all tools again, because the maker has another [Pins] now.
func (t *Sites) PinsChanged() {
	for _, site := range t.order {
		t.dirty[site] = true
	}
	for site := range t.cached {
		t.dirty[site] = true
	}
}

func (c *CachedTool) same(d *CachedTool) bool {
	return c.Site == d.Site && c.URL == d.URL && c.Tool.Name == d.Tool.Name && c.Tool.Same(&d.Tool)
}

// Update brings the tools up to date. tabs yields all tabs. held reports whether a name belongs to a tab's own tool.
func (t *Sites) Update(tabs iter.Seq[*SiteTab], held func(name string) bool) {
	if len(t.dirty) > 0 {
		t.make(tabs)
		t.published = t.name(held)
	}
}

// siteToolKey identifies what a site's tool stands for.
type siteToolKey struct{ site, tool string }

// tabsWith counts the tabs that have a site's tool. Its candidate is the best of them.
type tabsWith struct {
	candidate
	tabs int
	last *SiteTab
}

// make makes the tools of all dirty sites, without names.
func (t *Sites) make(tabs iter.Seq[*SiteTab]) {
	live := map[siteToolKey]*tabsWith{}
	for p := range tabs {
		if p.Site == "" || !t.dirty[p.Site] || p.State != "" {
			continue
		}
		for _, h := range p.Shown {
			if !h.OfSite() {
				continue
			}
			key := siteToolKey{p.Site, h.Route.Tool}
			with := live[key]
			switch {
			case with == nil:
				with = &tabsWith{}
				live[key] = with
			case with.last == p: // in another frame, too
				continue
			}
			with.last = p
			with.tabs++
			if it := (candidate{h, p}); with.hub == nil || it.better(with.candidate) {
				with.candidate = it
			}
		}
	}
	made := map[string][]*HubTool{}
	for site := range t.dirty {
		for tool, c := range t.cachedOf(site) {
			key := siteToolKey{site, tool}
			if with := live[key]; with != nil {
				made[site] = append(made[site], t.liveRoute(key, with, c.URL))
				delete(live, key)
			} else if h := t.cachedRoute(c); h != nil {
				made[site] = append(made[site], h)
			}
		}
	}
	for key, with := range live {
		made[key.site] = append(made[key.site], t.liveRoute(key, with, names.SiteAddress(key.site, with.tab.URL)))
	}
	for site := range t.dirty {
		t.put(site, made[site])
	}
	clear(t.dirty)
}

// put sets a site's tools; an empty list removes the site.
func (t *Sites) put(site string, tools []*HubTool) {
	i, known := slices.BinarySearch(t.order, site)
	switch {
	case len(tools) == 0 && known:
		t.order = slices.Delete(t.order, i, i+1)
		delete(t.sites, site)
	case len(tools) > 0:
		if !known {
			t.order = slices.Insert(t.order, i, site)
		}
		slices.SortFunc(tools, byTool)
		t.sites[site] = tools
	}
}

func byTool(a, b *HubTool) int { return cmp.Compare(a.SiteTool.Tool, b.SiteTool.Tool) }

// known returns the tool as it was made last, or nil.
func (t *Sites) known(site, tool string) *HubTool {
	list := t.sites[site]
	i, found := slices.BinarySearchFunc(list, tool,
		func(h *HubTool, tool string) int { return cmp.Compare(h.SiteTool.Tool, tool) })
	if !found {
		return nil
	}
	return list[i]
}

// cachedOf returns the tools of a site that outlive their tabs, by name.
func (t *Sites) cachedOf(site string) map[string]*CachedTool {
	if t.cached[site] == nil {
		return nil
	}
	all := map[string]*CachedTool{}
	for _, c := range t.cached[site] {
		if t.maker.Origins.Permits(c.URL) && all[c.Tool.Name] == nil {
			all[c.Tool.Name] = c
		}
	}
	return all
}

func (t *Sites) liveRoute(key siteToolKey, with *tabsWith, opens string) *HubTool {
	r := SiteTool{Site: key.site, Tool: key.tool, Opens: opens, Tabs: with.tabs}
	label := names.TabLabel(int(with.tab.ID), with.tab.Active)
	if r.Tabs > 1 && !with.tab.Active {
		label = strconv.Itoa(r.Tabs) + " tabs"
	}
	return t.maker.Route(t.known(key.site, key.tool), r, label, with.hub)
}

// cachedRoute returns nil for a tool that is refused.
func (t *Sites) cachedRoute(c *CachedTool) *HubTool {
	known := t.known(c.Site, c.Tool.Name)
	like := t.maker.WithoutTab(&c.Tool, c.URL, known)
	if like == nil {
		return nil
	}
	return t.maker.Route(known, SiteTool{Site: c.Site, Tool: c.Tool.Name, Opens: c.URL, Cached: true}, "cached", like)
}

// secureFirst returns the sites in the order in which they get names: https before http, because an attacker who can
// forge http must not take the plain name of the same host's https site.
func (t *Sites) secureFirst() []string {
	return slices.SortedStableFunc(slices.Values(t.order), func(a, b string) int {
		return cmp.Compare(names.ParseAddress(b).Scheme, names.ParseAddress(a).Scheme)
	})
}

// name gives the tools of sites their names, in the order of sites and tools, and returns the tools sorted by name. All
// pages' tools have their names already.
func (t *Sites) name(held func(name string) bool) []*HubTool {
	taken := make(map[string]bool, len(t.published))
	named := make([]*HubTool, 0, len(t.published))
	for _, site := range t.secureFirst() {
		tools := t.sites[site]
		for i, h := range tools {
			name := t.maker.RouteName(h, func(name string) bool { return !held(name) && !taken[name] })
			if h.Name != name {
				h = h.Named(name)
				tools[i] = h
			}
			if name == "" {
				continue // a site that provokes clashing hashes loses this tool
			}
			taken[name] = true
			named = append(named, h)
		}
	}
	slices.SortFunc(named, byName)
	return named
}

func byName(a, b *HubTool) int { return strings.Compare(a.Name, b.Name) }
