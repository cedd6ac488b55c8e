package registry

import (
	"slices"
	"strings"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// CachedTool is a tool that its page lets outlive its tab
// ([offer.Annotations.Cache]).
type CachedTool struct {
	Site string // see [offer.Routed]
	URL  string // of the page that had it
	Tool PageTool
}

// CacheChanged gives the whole set of tools that outlive their tabs; those
// that an open tab has may be among them. Of two for one site and name the
// first counts.
type CacheChanged struct{ Tools []CachedTool }

func (CacheChanged) event() {}

// candidate is a tab that has a tool.
type candidate struct {
	hub     *HubTool
	tab     TabID
	proxied bool
	active  bool
	updated uint64
	url     string
}

// better says which of two tabs gets a call: a browser's own before one that a
// proxy tells of, then the user's, else the one whose tools changed last.
func (a candidate) better(b candidate) bool {
	if a.proxied != b.proxied {
		return b.proxied
	}
	if a.active != b.active {
		return a.active
	}
	return a.updated > b.updated
}

// ChooseTab finds the tool to call for a routed one: that of the user's tab if
// it has the tool, else of the tab whose tools were updated last; or nil. A tab
// that a proxy tells of ([Tab.Proxied]) is chosen only if no browser's own has it.
// Tabs for whose tool free, if not nil, says false are not considered.
func (c *Catalog) ChooseTab(r *offer.Routed, free func(*HubTool) bool) *HubTool {
	var best candidate
	for _, t := range c.tabs {
		if t.Site() != r.Site || t.State != "" {
			continue
		}
		i := slices.IndexFunc(t.shown, func(h *HubTool) bool { return h.Route.Tool == r.Tool && h.OfSite() })
		if i < 0 || free != nil && !free(t.shown[i]) {
			continue
		}
		if it := (candidate{hub: t.shown[i], proxied: t.Proxied, active: t.Active, updated: t.Updated}); best.hub == nil || it.better(best) {
			best = it
		}
	}
	return best.hub
}

// Routed are the published tools of sites rather than tabs, by name.
func (c *Catalog) Routed() []*HubTool { return c.routed }

// Cacheable gives the published tools of a tab that may outlive it, and the
// names of those that may not. Of two of one name the first counts. Only those
// of the tab's own site are among them.
func Cacheable(t *Tab) (kept []CachedTool, others []string) {
	site := t.Site()
	if site == "" || names.SiteOf(t.URL) != site {
		return nil, nil
	}
	address, _, _ := strings.Cut(t.URL, "#")
	had := map[string]bool{}
	for _, h := range t.shown {
		if had[h.Route.Tool] || !h.OfSite() {
			continue
		}
		had[h.Route.Tool] = true
		if c := h.Source().Annotations.Cache; c == nil || !*c {
			others = append(others, h.Route.Tool)
			continue
		}
		tool := *h.Source()
		tool.Frame, tool.Doc, tool.FrameURL, tool.Origin = "", 0, "", ""
		tool.Meta = h.Clean().Meta // what is kept of it is bounded
		kept = append(kept, CachedTool{site, address, tool})
	}
	return kept, others
}

// Site is the site of the tab's main document, see [names.SiteOf].
func (t *Tab) Site() string { return names.SiteOf(t.Origin) }
