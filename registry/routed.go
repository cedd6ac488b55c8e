package registry

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Routed is a tool of a site rather than of a tab: a call goes to the tab that
// [Catalog.ChooseTab] chooses at that moment, or to one that is opened for it.
// It is immutable.
type Routed struct {
	Site string // see siteOf
	Tool string // the page's name for it
	// Opens is the address to open if no tab has the tool.
	Opens string
	// Tabs is how many open tabs have the tool. If there are none it is cached:
	// known of a tab that is gone.
	Tabs   int
	Cached bool
}

// CachedTool is a tool that its page lets outlive its tab
// ([Annotations.Cache]).
type CachedTool struct {
	Site string // see [Routed]
	URL  string // of the page that had it
	Tool PageTool
}

// CacheChanged gives the whole set of tools that outlive their tabs; those
// that an open tab has may be among them. Of two for one site and name the
// first counts.
type CacheChanged struct{ Tools []CachedTool }

func (CacheChanged) event() {}

func (s *State) cacheChanged(e CacheChanged) {
	s.cached, s.stale = e.Tools, true
}

// siteTool is what a routed tool stands for.
type siteTool struct{ site, tool string }

// candidate is a tab that has a tool.
type candidate struct {
	hub     *HubTool
	tab     TabID
	active  bool
	updated uint64
	url     string
}

// better says which of two tabs gets a call: the user's, else the one whose
// tools changed last.
func (a candidate) better(b candidate) bool {
	if a.active != b.active {
		return a.active
	}
	return a.updated > b.updated
}

// ChooseTab finds the tool to call for a routed one: that of the user's tab if
// it has the tool, else of the tab whose tools were updated last; or nil.
// Tabs for which free, if not nil, says false are not considered.
func (c *Catalog) ChooseTab(r *Routed, free func(PageID) bool) *HubTool {
	var best candidate
	for _, t := range c.tabs {
		if siteOf(t.URL) != r.Site || t.State != "" || free != nil && !free(t.Page) {
			continue
		}
		i := slices.IndexFunc(t.shown, func(h *HubTool) bool { return h.Route.Tool == r.Tool })
		if i < 0 {
			continue
		}
		if it := (candidate{hub: t.shown[i], active: t.Active, updated: t.Updated}); best.hub == nil || it.better(best) {
			best = it
		}
	}
	return best.hub
}

// Routed are the published tools of sites rather than tabs, by name.
func (c *Catalog) Routed() []*HubTool { return c.routed }

// reroute brings the routed tools up to date, and adds what changed to the
// sorted lists of published tools before and after.
func (s *State) reroute(was, is []*HubTool) ([]*HubTool, []*HubTool) {
	if s.options.Naming != MCPBNames {
		return was, is
	}
	routes := s.newRoutes()
	if sameList(s.routes, routes) {
		return was, is
	}
	before, after := trimmed(s.routes, routes)
	was, is = append(was, before...), append(is, after...)
	slices.SortFunc(was, compareNames)
	slices.SortFunc(is, compareNames)
	s.routes = routes
	return was, is
}

func (s *State) newRoutes() []*HubTool {
	known := map[siteTool]*HubTool{}
	for _, h := range s.routes {
		known[siteTool{h.Routed.Site, h.Routed.Tool}] = h
	}
	best, tabs := map[siteTool]candidate{}, map[siteTool]int{}
	for _, p := range s.order {
		had := map[string]bool{}
		for _, h := range p.shown {
			if p.site == "" || p.state != "" || had[h.Route.Tool] {
				continue
			}
			had[h.Route.Tool] = true
			key := siteTool{p.site, h.Route.Tool}
			tabs[key]++
			it := candidate{h, p.tab, p.active, p.updated, p.url}
			if b, others := best[key]; !others || it.better(b) {
				best[key] = it
			}
		}
	}
	made := make([]*HubTool, 0, len(best))
	cached := map[siteTool]*CachedTool{}
	for i := range s.cached {
		c := &s.cached[i]
		key := siteTool{c.Site, c.Tool.Name}
		if s.publish && c.Site != "" && cached[key] == nil && s.options.Origins.Permits(c.URL) {
			cached[key] = c
		}
	}
	for key, b := range best {
		r := Routed{Site: key.site, Tool: key.tool, Opens: frontPage(b.url), Tabs: tabs[key]}
		if c := cached[key]; c != nil {
			r.Opens = c.URL
		}
		label := tabLabel(b.tab, b.active)
		if r.Tabs > 1 && !b.active {
			label = strconv.Itoa(r.Tabs) + " tabs"
		}
		made = append(made, known[key].again(r, label, b.hub.source, b.hub.laundered))
	}
	for key, c := range cached {
		if _, live := best[key]; live {
			continue
		}
		var l *laundered
		if h := known[key]; h != nil && h.source.Same(&c.Tool) {
			l = h.laundered
		} else {
			l = s.laundry.launder(&c.Tool)
		}
		if l.why != "" {
			continue
		}
		r := Routed{Site: c.Site, Tool: c.Tool.Name, Opens: c.URL, Cached: true}
		made = append(made, known[key].again(r, "cached", &c.Tool, l))
	}
	return s.nameRoutes(made)
}

// again gives t if it stands for the same, or makes a new one without a name.
// t may be nil.
func (t *HubTool) again(r Routed, label string, p *PageTool, l *laundered) *HubTool {
	if t != nil && *t.Routed == r && t.label == label && t.laundered == l && t.source.Same(p) {
		return t
	}
	return &HubTool{
		Description:    mcpbPrefix(r.Site, label) + describe(p.Description),
		InputSchema:    l.input,
		ArgumentSchema: p.InputSchema,
		Structured:     l.output != nil,
		Route:          Route{Tool: r.Tool},
		Routed:         &r,
		Meta:           r.meta(p.Runtime),
		domain:         ExtractDomain(r.Opens),
		label:          label,
		source:         p,
		pageNames:      l.pageNames,
		laundered:      l,
	}
}

// routedSource is the value of [ProvenanceKey] for a routed tool.
type routedSource struct {
	Trust   string  `json:"trust"`
	Origin  string  `json:"origin"`
	Runtime Runtime `json:"runtime"`
	Tabs    int     `json:"tabs"`
	Cached  bool    `json:"cached,omitempty"`
}

func (r Routed) meta(runtime Runtime) json.RawMessage {
	return mustEncode(map[string]routedSource{ProvenanceKey: {Untrusted, originOf(r.Opens), runtime, r.Tabs, r.Cached}})
}

// nameRoutes gives the routed tools their names, after all pages' tools have
// theirs, and sorts them by name.
func (s *State) nameRoutes(made []*HubTool) []*HubTool {
	slices.SortFunc(made, func(a, b *HubTool) int {
		return cmp.Or(cmp.Compare(a.Routed.Site, b.Routed.Site), cmp.Compare(a.Routed.Tool, b.Routed.Tool))
	})
	taken := make(map[string]bool, len(made))
	named := made[:0]
	for _, h := range made {
		name := s.routeName(h, taken)
		if name == "" {
			continue // a site that works at clashing hashes loses this one
		}
		taken[name] = true
		if h.Name != name {
			n := *h
			n.Name, n.plain = name, name
			n.encode()
			h = &n
		}
		named = append(named, h)
	}
	slices.SortFunc(named, compareNames)
	return named
}

func (s *State) routeName(h *HubTool, taken map[string]bool) string {
	for attempt := range maxAttempts {
		name := mcpbNames.fit(h.domain, routed, SanitizeName(h.Routed.Tool), "", s.options.MaxName)
		if attempt > 0 {
			name = mcpbNames.distinct(h.domain, routed, h.Routed.Tool, h.Routed.Site+"\x00"+h.Routed.Tool, attempt, s.options.MaxName)
		}
		if s.names[name] == nil && !taken[name] {
			return name
		}
	}
	return ""
}

// resolveRouted is [Resolve] for the tools of sites. One that the client knows
// can be called after the last tab that had it is gone: another is opened. Nil
// means that the name never stood for one.
func resolveRouted(seen *Catalog, current *HubTool, now *Catalog, name string) *HubTool {
	var was *HubTool
	if seen != nil {
		was = seen.Lookup(name)
	}
	if was == nil {
		if current == nil || current.Routed == nil {
			return nil
		}
		return current
	}
	if was.Routed == nil {
		return nil
	}
	for _, t := range now.routed {
		if t.Routed.Site == was.Routed.Site && t.Routed.Tool == was.Routed.Tool {
			return t // perhaps under another name
		}
	}
	return was
}

// Destructive says that the page warns of what the tool does, so that it must
// not be done twice.
func (t *HubTool) Destructive() bool {
	a := t.source.Annotations.mcp()
	return a != nil && a.Destructive != nil && *a.Destructive
}

// SiteOf names the site of a page for [CachedTool], or is "" if it has none.
func SiteOf(pageURL string) string { return siteOf(pageURL) }

// Cacheable gives the published tools of a tab that may outlive it, and the
// names of those that may not. Of two of one name the first counts.
func Cacheable(t *Tab) (kept []CachedTool, others []string) {
	site := siteOf(t.URL)
	if site == "" {
		return nil, nil
	}
	address, _, _ := strings.Cut(t.URL, "#")
	had := map[string]bool{}
	for _, h := range t.shown {
		if had[h.Route.Tool] {
			continue
		}
		had[h.Route.Tool] = true
		if c := h.source.Annotations.Cache; c == nil || !*c {
			others = append(others, h.Route.Tool)
			continue
		}
		tool := *h.source
		tool.Frame, tool.Doc, tool.FrameURL = "", 0, ""
		kept = append(kept, CachedTool{site, address, tool})
	}
	return kept, others
}
