package registry

import (
	"cmp"
	"strconv"
	"webmcphub/registry/names"
)

// Naming says what tools are called.
type Naming string

const (
	// WebMCPNames are webmcp_{domain}_page{idx}_{tool}.
	WebMCPNames Naming = ""
	// MCPBNames are website_tool_{domain}_tab{id}_{tool}, with the tab's [TabID],
	// and website_tool_{domain}_{tool} for whichever tab has the tool, see [Routed].
	MCPBNames Naming = "mcpb"
)

// plainName is a page tool's name if nobody has taken that.
func (s *State) plainName(p *page, t *PageTool) string {
	return p.style().Plain(p.domain, p.number(), t.Name, s.options.MaxName)
}

func (p *page) style() names.Style {
	if p.naming == MCPBNames {
		return names.MCPB
	}
	return names.WebMCP
}

// number is the one in names.
func (p *page) number() int {
	if p.naming == MCPBNames {
		return int(p.tab)
	}
	return p.index
}

// madeFor says that h would be made for p the same again.
func (t *HubTool) madeFor(p *page) bool {
	return t.domain == p.domain && t.host == p.host && t.origin == p.origin && t.index == p.index && t.active == p.active
}

func (p *page) descriptionPrefix() string {
	if p.naming != MCPBNames {
		return names.PagePrefix(p.host, p.index)
	}
	return mcpbPrefix(p.site, tabLabel(p.tab, p.active))
}

func mcpbPrefix(site, label string) string {
	return "[WebMCP • " + cmp.Or(names.SiteLabel(site), "no site") + " • " + label + "] "
}

func tabLabel(tab TabID, active bool) string {
	label := "Tab " + strconv.Itoa(int(tab))
	if active {
		label += " Active"
	}
	return label
}

// begin sets what a new page has besides what its event says.
func (p *page) begin(s *State) {
	p.options, p.naming = &s.options, s.options.Naming
	p.active = p.naming == MCPBNames && s.front == p.id
	p.moved()
}

// moved follows the page's origin.
func (p *page) moved() {
	if p.naming == MCPBNames {
		if site := names.SiteOf(p.origin); site != p.site {
			p.site, p.dirty = site, true
		}
	}
}

// Site is the site of the tab's main document, see [names.SiteOf].
func (t *Tab) Site() string { return names.SiteOf(t.Origin) }
