package listing

import (
	"strings"

	"webmcphub/internal/hosts"
	"webmcphub/registry"
)

// FindToolName is the tool's name.
const FindToolName = "find_webmcp_tools"

// Limits of how many tools an answer contains.
const (
	DefaultLimit = 10
	MaxLimit     = 50
)

// The tool's texts and schemas.
const (
	Description = "Finds tools of open web pages by what you want to do, the best first. Say it in a few words, in English " +
		"and in the page's language; call what you find with call_webmcp_tool."

	FindInput = `{"type":"object","properties":{` +
		`"query":{"type":"string","description":"What the tool should do, such as: add to cart"},` +
		`"site":{"type":"string","description":"Only tools of this host, such as shop.example"},` +
		`"tab":{"type":"integer","minimum":1,"description":"Only tools of this tab, by its id"},` +
		`"limit":{"type":"integer","minimum":1,"maximum":50,"default":10},` +
		`"detail":{"type":"string","enum":["names","signature","full"],"default":"signature","description":"full: with description and input schema"}},"required":["query"]}`

	FindOutput = `{"type":"object","properties":{` +
		`"tools":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The name to call."},` +
		`"signature":{"type":"string"},` +
		`"also":{"type":"array","items":{"type":"string"},"description":"The same tool in other tabs of the site."},` +
		`"description":{"type":"string"},"inputSchema":{"type":"object"}},"required":["name"]}},` +
		`"total":{"type":"integer","description":"How many match."},` +
		`"note":{"type":"string","description":"What else there is to know."}},"required":["tools","total"]}`
)

// FindArguments are the tool's arguments. Numbers are float64 because 1.0 is an integer in JSON too.
type FindArguments struct {
	Query  string   `json:"query"`
	Site   string   `json:"site"`
	Tab    *float64 `json:"tab"`
	Limit  *float64 `json:"limit"`
	Detail string   `json:"detail"`
}

// Empty reports that the query contains nothing to search for.
func (a FindArguments) Empty() bool { return strings.TrimSpace(a.Query) == "" }

// Most returns how many tools are wanted at most.
func (a FindArguments) Most() int {
	if a.Limit == nil {
		return DefaultLimit
	}
	return min(max(1, int(*a.Limit)), MaxLimit)
}

// OfSite reports whether a host belongs to the wanted site: it is the same host, or a subdomain. The client may give
// the site as an address.
func (a FindArguments) OfSite(host string) bool {
	want, port := siteAndPort(a.Site)
	name, at, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(host), "www."), ":")
	if strings.HasPrefix(host, "[") {
		name, at = host, ""
	}
	if ascii, err := hosts.ASCII(name); err == nil {
		name = ascii
	}
	if at != "" && port != "" && at != port { // only hosts of this computer have ports
		return false
	}
	return want == "" || name == want || strings.HasSuffix(name, "."+want)
}

// siteAndPort splits a site that is given as a host or as an address. It returns the host as browsers write it,
// without www., and the port or "".
func siteAndPort(site string) (host, port string) {
	host = strings.ToLower(strings.TrimSpace(site))
	if _, rest, is := strings.Cut(host, "://"); is {
		host = rest
	}
	if end := strings.IndexAny(host, `/?#\`); end >= 0 {
		host = host[:end]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if inner, rest, is := strings.Cut(strings.TrimPrefix(host, "["), "]"); is {
		host, port = inner, strings.TrimPrefix(rest, ":")
	} else if strings.Count(host, ":") == 1 {
		host, port, _ = strings.Cut(host, ":")
	}
	switch {
	case host == "127.0.0.1" || host == "::1":
		return "localhost", port
	case strings.Contains(host, ":"):
		return "[" + host + "]", port
	}
	host = strings.TrimPrefix(strings.TrimSuffix(host, "."), "www.")
	if ascii, err := hosts.ASCII(host); err == nil {
		host = ascii
	}
	return host, port
}

// OfTab reports whether a tab is the wanted one; tab may be nil.
func (a FindArguments) OfTab(tab *registry.Tab) bool {
	return a.Tab == nil || tab != nil && float64(tab.ID) == *a.Tab
}
