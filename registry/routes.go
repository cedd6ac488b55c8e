package registry

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// routes are the tools of sites ([offer.Routed]). They are made anew for those sites
// only of whose pages or cached tools something has changed.
type routes struct {
	published []*HubTool               // sorted by name
	sites     map[string][]*HubTool    // sorted by tool; one without a name is not published
	order     []string                 // the sites, sorted
	dirty     map[string]bool          // sites that something has changed of
	cached    map[string][]*CachedTool // by site, see CacheChanged
}

// inSite is what the tools of a page's site hang on; only with MCPBNames, but for
// the naming.
type inSite struct {
	updated uint64 // State.updates when its tools changed last
	routed  routeInputs
}

// routeInputs is what of a page its site's tools were made of.
type routeInputs struct {
	site, state, url string
	updated          uint64
	shown            []*HubTool // others, too, where the page comes to the front or leaves it
}

func (p *page) forRoutes() routeInputs {
	return routeInputs{p.Site, p.state, p.url, p.updated, p.shown}
}

func (a routeInputs) same(b routeInputs) bool {
	return a.site == b.site && a.state == b.state && a.url == b.url && a.updated == b.updated &&
		len(a.shown) == len(b.shown) && (len(a.shown) == 0 || &a.shown[0] == &b.shown[0])
}

// touch notes a change of a site; "" of pages that have none, which hold names
// all the same.
func (r *routes) touch(site string) {
	if r.dirty == nil {
		r.dirty = map[string]bool{}
	}
	r.dirty[site] = true
}

// routesOf is what a State goes on with that has yet to be told of all pages.
func routesOf(published []*HubTool, cached map[string][]*CachedTool) (n routes) {
	n.published, n.cached, n.sites = published, cached, map[string][]*HubTool{}
	for _, h := range published {
		n.sites[h.Routed.Site] = append(n.sites[h.Routed.Site], h)
		n.touch(h.Routed.Site)
	}
	n.order = slices.Sorted(maps.Keys(n.sites))
	return n
}

func (s *State) cacheChanged(e CacheChanged) {
	was := s.routes.cached
	s.routes.cached, s.stale = map[string][]*CachedTool{}, true
	for i := range e.Tools {
		if c := &e.Tools[i]; c.Site != "" {
			s.routes.cached[c.Site] = append(s.routes.cached[c.Site], c)
		}
	}
	for site, now := range s.routes.cached {
		if !slices.EqualFunc(was[site], now, (*CachedTool).same) {
			s.routes.touch(site)
		}
	}
	for site := range was {
		if s.routes.cached[site] == nil {
			s.routes.touch(site)
		}
	}
}

func (c *CachedTool) same(d *CachedTool) bool {
	return c.Site == d.Site && c.URL == d.URL && c.Tool.Name == d.Tool.Name && c.Tool.Same(&d.Tool)
}

// reroute brings the routed tools up to date, and adds what changed to the
// sorted lists of published tools before and after.
func (s *State) reroute(was, is []*HubTool) ([]*HubTool, []*HubTool) {
	if s.options.Naming != offer.MCPBNames {
		return was, is
	}
	for _, p := range s.order {
		if now := p.forRoutes(); !now.same(p.routed) {
			s.routes.touch(p.routed.site)
			s.routes.touch(now.site)
			p.routed = now
		}
	}
	if len(s.routes.dirty) == 0 {
		return was, is
	}
	s.makeRoutes()
	named := s.nameRoutes()
	before, after := trimmed(s.routes.published, named)
	s.routes.published = named
	if len(before)+len(after) > 0 {
		was, is = append(was, before...), append(is, after...)
		slices.SortFunc(was, compareNames)
		slices.SortFunc(is, compareNames)
	}
	return was, is
}

// siteTool is what a routed tool stands for.
type siteTool struct{ site, tool string }

// tabsWith are the tabs that have a site's tool: the best of them, and how many.
type tabsWith struct {
	candidate
	tabs int
	last *page
}

// makeRoutes makes the tools of all sites that are dirty, without names.
func (s *State) makeRoutes() {
	live := map[siteTool]*tabsWith{}
	for _, p := range s.order {
		if p.Site == "" || !s.routes.dirty[p.Site] || p.state != "" {
			continue
		}
		for _, h := range p.shown {
			if !h.OfSite() {
				continue
			}
			key := siteTool{p.Site, h.Route.Tool}
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
			if it := (candidate{h, p.Tab, p.proxied, p.Active, p.updated, p.url}); with.hub == nil || it.better(with.candidate) {
				with.candidate = it
			}
		}
	}
	made := map[string][]*HubTool{}
	for site := range s.routes.dirty {
		for tool, c := range s.cachedOf(site) {
			key := siteTool{site, tool}
			if with := live[key]; with != nil {
				made[site] = append(made[site], s.liveRoute(key, with, c.URL))
				delete(live, key)
			} else if h := s.cachedRoute(c); h != nil {
				made[site] = append(made[site], h)
			}
		}
	}
	for key, with := range live {
		made[key.site] = append(made[key.site], s.liveRoute(key, with, names.SiteAddress(key.site, with.url)))
	}
	for site := range s.routes.dirty {
		s.routes.put(site, made[site])
	}
	clear(s.routes.dirty)
}

// put makes tools a site's; none at all takes the site away.
func (r *routes) put(site string, tools []*HubTool) {
	i, known := slices.BinarySearch(r.order, site)
	switch {
	case len(tools) == 0 && known:
		r.order = slices.Delete(r.order, i, i+1)
		delete(r.sites, site)
	case len(tools) > 0:
		if !known {
			r.order = slices.Insert(r.order, i, site)
		}
		if r.sites == nil {
			r.sites = map[string][]*HubTool{}
		}
		slices.SortFunc(tools, byRouteTool)
		r.sites[site] = tools
	}
}

func byRouteTool(a, b *HubTool) int { return cmp.Compare(a.Routed.Tool, b.Routed.Tool) }

// known is the tool as it was made last, or nil.
func (r *routes) known(site, tool string) *HubTool {
	list := r.sites[site]
	i, found := slices.BinarySearchFunc(list, tool, func(h *HubTool, tool string) int { return cmp.Compare(h.Routed.Tool, tool) })
	if !found {
		return nil
	}
	return list[i]
}

// cachedOf are the tools of a site that outlive their tabs, by name.
func (s *State) cachedOf(site string) map[string]*CachedTool {
	if s.routes.cached[site] == nil {
		return nil
	}
	all := map[string]*CachedTool{}
	for _, c := range s.routes.cached[site] {
		if s.options.Origins.Permits(c.URL) && all[c.Tool.Name] == nil {
			all[c.Tool.Name] = c
		}
	}
	return all
}

func (s *State) liveRoute(key siteTool, with *tabsWith, opens string) *HubTool {
	r := offer.Routed{Site: key.site, Tool: key.tool, Opens: opens, Tabs: with.tabs}
	label := names.TabLabel(int(with.tab), with.active)
	if r.Tabs > 1 && !with.active {
		label = strconv.Itoa(r.Tabs) + " tabs"
	}
	return s.maker.Route(s.routes.known(key.site, key.tool), r, label, with.hub)
}

// cachedRoute is nil for a tool that is refused.
func (s *State) cachedRoute(c *CachedTool) *HubTool {
	known := s.routes.known(c.Site, c.Tool.Name)
	like := s.maker.WithoutTab(&c.Tool, c.URL, known)
	if like == nil {
		return nil
	}
	return s.maker.Route(known, offer.Routed{Site: c.Site, Tool: c.Tool.Name, Opens: c.URL, Cached: true}, "cached", like)
}

// secureFirst are the sites in the order in which they get names: whoever can
// forge http: must not take the plain name of the same host's https:.
func (r *routes) secureFirst() []string {
	return slices.SortedStableFunc(slices.Values(r.order), func(a, b string) int {
		return cmp.Compare(names.ParseAddress(b).Scheme, names.ParseAddress(a).Scheme)
	})
}

// nameRoutes gives the routed tools their names, after all pages' tools have
// theirs, in the order of sites and tools, and returns them sorted by name.
func (s *State) nameRoutes() []*HubTool {
	taken := make(map[string]bool, len(s.routes.published))
	named := make([]*HubTool, 0, len(s.routes.published))
	for _, site := range s.routes.secureFirst() {
		tools := s.routes.sites[site]
		for i, h := range tools {
			name := s.maker.RouteName(h, func(name string) bool { return s.names[name] == nil && !taken[name] })
			if h.Name != name {
				h = h.Named(name)
				tools[i] = h
			}
			if name == "" {
				continue // a site that works at clashing hashes loses this one
			}
			taken[name] = true
			named = append(named, h)
		}
	}
	slices.SortFunc(named, compareNames)
	return named
}
