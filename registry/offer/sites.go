package offer

import (
	"iter"
	"slices"
	"strings"
	"webmcphub/registry/names"
)

// Tab is one open page as far as the tools of its site hang on it. It is immutable.
type SiteTab struct {
	Page PageID
	ID   TabID
	URL  string
	// Origin is that of the main document, [names.OpaqueOrigin], or "" if there is none to be known.
	Origin string
	// Site is that of the main document, see [names.SiteOf]; only with [offer.MCPBNames].
	Site string
	// State is "" while the page is well, or a word for what ails it, such as "crashed".
	State string
	// Active says that it is the tab in front of the user, and Updated grows with
	// each change of its tools; only with [offer.MCPBNames].
	Active  bool
	Updated uint64
	// Proxied says that an MCP-B proxy tells of the tab, not the browser.
	Proxied bool
	// Shown are its published tools, and Version tells that list from others.
	Shown   []*HubTool
	Version uint64
}

// CachedTool is a tool that its page lets outlive its tab
// ([offer.Annotations.Cache]).
type CachedTool struct {
	Site string // see [offer.Routed]
	URL  string // of the page that had it
	Tool PageTool
}

// candidate is a tab that has a tool.
type candidate struct {
	hub *HubTool
	tab *SiteTab
}

// better says which of two tabs gets a call: a browser's own before one that a
// proxy tells of, then the user's, else the one whose tools changed last.
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

// Choose finds the tool to call for a routed one: that of the user's tab if
// it has the tool, else of the tab whose tools were updated last; or nil. A tab
// that a proxy tells of ([Tab.Proxied]) is chosen only if no browser's own has it.
// Tabs for whose tool free, if not nil, says false are not considered.
func ChooseTool(tabs iter.Seq[*SiteTab], r *Routed, free func(*HubTool) bool) *HubTool {
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

// Cacheable gives the published tools of a tab that may outlive it, and the
// names of those that may not. Of two of one name the first counts. Only those
// of the tab's own site are among them.
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
		tool.Meta = h.Clean().Meta // what is kept of it is bounded
		kept = append(kept, CachedTool{site, address, tool})
	}
	return kept, others
}
