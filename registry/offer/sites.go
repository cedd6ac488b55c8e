package offer

import (
	"iter"
	"slices"
	"strings"
	"webmcphub/registry/names"
)

// SiteTab has what the tools of a site need to know about one open page. It is immutable.
type SiteTab struct {
	Page PageID
	ID   TabID
	URL  string
	// Origin is the origin of the main document: it may be [names.OpaqueOrigin], and is "" if it is not known.
	Origin string
	// Site is the site of the main document, see [names.SiteOf]; only with [MCPBNames].
	Site string
	// State is "" while the page is well, or a word for what is wrong with it, such as "crashed".
	State string
	// Active says that the user sees the tab. Updated grows with each change of its tools. Both are set only with
	// [MCPBNames].
	Active  bool
	Updated uint64
	// Proxied says that an MCP-B proxy reports the tab, not the browser.
	Proxied bool
	// Shown has the tab's published tools. Version identifies that list.
	Shown   []*HubTool
	Version uint64
}

// CachedTool is a tool that its page lets outlive its tab ([Annotations.Cache]).
type CachedTool struct {
	Site string // see [SiteTool]
	URL  string // of the page that had it
	Tool PageTool
}

// candidate is a tab that has a tool.
type candidate struct {
	hub *HubTool
	tab *SiteTab
}

// better reports whether a call should go to a rather than to b: a browser's own tab comes before one that a proxy
// reports, then the user's tab, then the tab whose tools changed last.
func (a candidate) better(b candidate) bool {
	switch {
	case b.hub == nil:
		return true
	case a.tab.Proxied != b.tab.Proxied:
		return b.tab.Proxied
	case a.tab.Active != b.tab.Active:
		return a.tab.Active
	}
	return a.tab.Updated > b.tab.Updated
}

// ChooseTool returns the tab's tool to call for a site's tool, or nil: that of the user's tab if it has the tool, else
// of the tab whose tools were updated last. A tab that a proxy reports ([SiteTab.Proxied]) is chosen only if no
// browser's own tab has the tool. If free is not nil, ChooseTool considers only tools for which free returns true.
func ChooseTool(tabs iter.Seq[*SiteTab], r *SiteTool, free func(*HubTool) bool) *HubTool {
	var best candidate
	for t := range tabs {
		if t.Site != r.Site || t.State != "" {
			continue
		}
		i := slices.IndexFunc(t.Shown, func(h *HubTool) bool { return h.Route.Tool == r.Tool && h.OfSite() })
		if i < 0 || free != nil && !free(t.Shown[i]) {
			continue
		}
		if it := (candidate{t.Shown[i], t}); it.better(best) {
			best = it
		}
	}
	return best.hub
}

// Cacheable returns the published tools of a tab that may outlive it, and the names of those that may not. If two
// have the same name, the first counts. Both have only tools of the tab's own site.
func Cacheable(t *SiteTab) (kept []CachedTool, others []string) {
	site := t.Site
	if site == "" || names.SiteOf(t.URL) != site {
		return nil, nil
	}
	address, _, _ := strings.Cut(t.URL, "#")
	had := map[string]bool{}
	for _, h := range t.Shown {
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
		tool.Meta = h.Clean().Meta // its size is limited
		kept = append(kept, CachedTool{site, address, tool})
	}
	return kept, others
}
