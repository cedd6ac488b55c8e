package registry

import (
	"cmp"
	"strconv"
	"strings"
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
	return p.style().fit(p.domain, p.number(), SanitizeName(t.Name), "", s.options.MaxName)
}

func (p *page) style() nameStyle {
	if p.naming == MCPBNames {
		return mcpbNames
	}
	return webmcpNames
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
	return t.domain == p.domain && t.index == p.index && t.active == p.active
}

func (p *page) descriptionPrefix() string {
	if p.naming != MCPBNames {
		return describePrefix(p.domain, p.index)
	}
	return mcpbPrefix(cmp.Or(p.site, "no site"), tabLabel(p.tab, p.active))
}

func mcpbPrefix(site, label string) string { return "[WebMCP • " + site + " • " + label + "] " }

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

// moved follows the page's address.
func (p *page) moved() {
	if p.naming == MCPBNames {
		if site := SiteOf(p.url); site != p.site {
			p.site, p.dirty = site, true
		}
	}
}

// SiteOf names what MCP-B calls a domain: a page's host, with the port if it is
// this computer, or "" if it has none. Unlike the {domain} of a name it tells
// all hosts apart.
func SiteOf(pageURL string) string {
	o := parseOrigin(pageURL)
	if o.scheme != "http" && o.scheme != "https" {
		return ""
	}
	if strings.HasPrefix(ExtractDomain(pageURL), "localhost_") {
		return o.host + ":" + o.port
	}
	return o.host
}

// frontPage is the address of a page's origin, or "" if it has none.
func frontPage(pageURL string) string {
	if o := originOf(pageURL); o != "" {
		return o + "/"
	}
	return ""
}
