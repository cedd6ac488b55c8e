package offer

import (
	"encoding/json"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// SiteTool is a tool of a site rather than of a tab: a call goes to the tab that Catalog.ChooseTab chooses at that
// moment, or to one that is opened for it. It is immutable.
type SiteTool struct {
	Site string // an origin, see [names.SiteOf]
	Tool string // the page's name for the tool
	// Opens is the address to open if no tab has the tool: the address where it was seen.
	Opens string
	// Tabs is how many open tabs have the tool. If there are none, the tool is Cached: known from a tab that is gone.
	Tabs   int
	Cached bool
}

// Route makes the tool for r, without a name, or returns t if t is still the same. t is the tool that Route made last
// for r, or nil; like is a tool with the same source.
func (m *Maker) Route(t *HubTool, r SiteTool, label string, like *HubTool) *HubTool {
	p, l := like.source, like.clean
	if t != nil && *t.SiteTool == r && t.label == label && t.clean == l && t.source.Same(p) && t.mark == like.mark &&
		t.hints.same(like.hints) {
		return t
	}
	n := &HubTool{
		Description:    names.SitePrefix(r.Site, label) + like.mark + sanitize.Description(p.Description),
		InputSchema:    l.Input,
		ArgumentSchema: l.Arguments,
		Structured:     l.Output != nil,
		Route:          Route{Tool: r.Tool},
		SiteTool:       &r,
		Meta:           r.meta(p.Runtime),
		whose:          whose{from: r.Site},
		called:         called{domain: names.ExtractDomain(r.Site), label: label},
		registered:     like.registered,
	}
	if t != nil && t.domain == n.domain {
		n.plain = t.plain
	} else {
		n.plain = names.MCPB.Plain(n.domain, names.NoNumber, r.Tool, m.MaxName)
	}
	return n
}

// RouteName returns a free name for a site's tool, or "" if none is free.
func (m *Maker) RouteName(t *HubTool, free func(name string) bool) string {
	return names.First(t.plain, free, func(attempt int) string {
		return names.MCPB.Distinct(t.domain, names.NoNumber, t.SiteTool.Tool, t.SiteTool.Site+"\x00"+t.SiteTool.Tool, attempt,
			m.MaxName)
	})
}

// WithoutTab returns a tool that was seen at an address, for the parameter like of [Maker.Route]; nil if the tool is
// refused. known is what was made of the tool last, or nil.
func (m *Maker) WithoutTab(t *PageTool, url string, known *HubTool) *HubTool {
	origin := names.DocumentOrigin("", url)
	var clean *sanitize.Tool
	if known != nil && known.source.Same(t) {
		clean = known.clean
	} else {
		clean = m.clean(t, origin)
	}
	if clean.Refused != "" {
		return nil
	}
	mark := ""
	if m.Pins != nil {
		v := m.Pins.Check(t, origin, origin)
		if v.Held != nil {
			return nil
		}
		mark = v.Mark
	}
	return &HubTool{registered: registered{t, clean, m.hintsOf(t, origin, true), m.keysOf(origin), mark}}
}

// routedSource is the value of [sanitize.ProvenanceKey] for a site's tool.
type routedSource struct {
	Trust   string  `json:"trust"`
	Origin  string  `json:"origin"`
	Runtime Runtime `json:"runtime"`
	Tabs    int     `json:"tabs"`
	Cached  bool    `json:"cached,omitempty"`
}

func (r SiteTool) meta(runtime Runtime) json.RawMessage {
	return sanitize.Encode(map[string]routedSource{sanitize.ProvenanceKey: {sanitize.Untrusted, r.Site, runtime, r.Tabs,
		r.Cached}})
}
