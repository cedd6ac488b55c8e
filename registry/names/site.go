package names

import (
	"cmp"
	"strconv"
	"strings"
)

// SiteOf names what MCP-B calls a domain: the origin of a web page, such as
// "https://shop.example", or "" if it has none. It takes an origin or an
// address. Unlike the {domain} of a name it tells all origins apart.
func SiteOf(address string) string {
	o := ParseAddress(address)
	if o.Scheme != "http" && o.Scheme != "https" {
		return ""
	}
	host := o.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.Port == defaultPorts[o.Scheme] {
		return o.Scheme + "://" + host
	}
	return o.Scheme + "://" + host + ":" + o.Port
}

// SiteLabel is a site as descriptions have it: the host alone where that is the
// usual https, with the port where it is this computer or another port.
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

// SiteAddress is where to look for a tool of a site that was seen at an address:
// there, unless no tab can be opened at it.
func SiteAddress(site, address string) string {
	if SiteOf(address) == site && strings.HasPrefix(address, "http") {
		return address
	}
	return site + "/"
}

// SitePrefix is what descriptions of a site's tools begin with; label says which of
// its tabs have the tool.
func SitePrefix(site, label string) string {
	return "[WebMCP • " + cmp.Or(SiteLabel(site), "no site") + " • " + label + "] "
}

// TabLabel names one tab there, by its id.
func TabLabel(tab int, active bool) string {
	label := "Tab " + strconv.Itoa(tab)
	if active {
		label += " Active"
	}
	return label
}
