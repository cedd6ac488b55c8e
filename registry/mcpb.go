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
	return t.domain == p.domain && t.host == p.host && t.origin == p.origin && t.index == p.index && t.active == p.active
}

func (p *page) descriptionPrefix() string {
	if p.naming != MCPBNames {
		return describePrefix(p.host, p.index)
	}
	return mcpbPrefix(p.site, tabLabel(p.tab, p.active))
}

func mcpbPrefix(site, label string) string {
	return "[WebMCP • " + cmp.Or(siteLabel(site), "no site") + " • " + label + "] "
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
		if site := SiteOf(p.origin); site != p.site {
			p.site, p.dirty = site, true
		}
	}
}

// SiteOf names what MCP-B calls a domain: the origin of a web page, such as
// "https://shop.example", or "" if it has none. It takes an origin or an
// address. Unlike the {domain} of a name it tells all origins apart.
func SiteOf(address string) string {
	o := parseOrigin(address)
	if o.scheme != "http" && o.scheme != "https" {
		return ""
	}
	host := o.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.port == defaultPorts[o.scheme] {
		return o.scheme + "://" + host
	}
	return o.scheme + "://" + host + ":" + o.port
}

// Site is the site of the tab's main document, see [SiteOf].
func (t *Tab) Site() string { return SiteOf(t.Origin) }

// siteLabel is a site as descriptions have it: the host alone where that is the
// usual https, with the port where it is this computer or another port.
func siteLabel(site string) string {
	o := parseOrigin(site)
	host := strings.TrimPrefix(strings.TrimPrefix(site, "https://"), "http://")
	switch {
	case o == origin{}:
		return ""
	case thisComputer(o.host) && o.port == defaultPorts[o.scheme]:
		return host + ":" + o.port
	case thisComputer(o.host), o.scheme == "https":
		return host
	}
	return site
}

// opens is where to look for a tool of a site that was seen at an address:
// there, unless no tab can be opened at it.
func opens(site, address string) string {
	if SiteOf(address) == site && strings.HasPrefix(address, "http") {
		return address
	}
	return site + "/"
}
