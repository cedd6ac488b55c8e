package names

import (
	"cmp"
	"strconv"
	"strings"
)

// SiteOf returns what MCP-B calls a domain: the origin of a web page, such as "https://shop.example", or "" if there
// is none. It takes an origin or an address. Unlike the {domain} of a name, the result differs for all different
// origins.
func SiteOf(address string) string {
	if o := ParseAddress(address); o.Scheme == "http" || o.Scheme == "https" {
		return o.String()
	}
	return ""
}

// SiteLabel returns a site as descriptions write it. The scheme is left out if it is https. The port is there if it
// is not the default one, or if the host is this computer.
func SiteLabel(site string) string {
	o := ParseAddress(site)
	host := strings.TrimPrefix(strings.TrimPrefix(site, "https://"), "http://")
	switch {
	case o == Origin{}:
		return ""
	case thisComputer(o.Host) && o.Port == defaultPorts[o.Scheme]:
		return host + ":" + o.Port
	case thisComputer(o.Host), o.Scheme == "https":
		return host
	}
	return site
}

// SiteAddress returns the address to open for a tool of a site that was seen at address: that address, unless no tab
// can be opened at it.
func SiteAddress(site, address string) string {
	if SiteOf(address) == site && strings.HasPrefix(address, "http") {
		return address
	}
	return site + "/"
}

// SitePrefix returns the beginning of the descriptions of a site's tools. label says which of the site's tabs have
// the tool.
func SitePrefix(site, label string) string {
	return "[WebMCP • " + cmp.Or(SiteLabel(site), "no site") + " • " + label + "] "
}

// TabLabel returns a label for one tab by its id.
func TabLabel(tab int, active bool) string {
	label := "Tab " + strconv.Itoa(tab)
	if active {
		label += " Active"
	}
	return label
}
