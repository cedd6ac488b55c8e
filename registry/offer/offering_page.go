package offer

import (
	"strings"

	"webmcphub/registry/names"
)

// Page holds what the names and descriptions of a page's offers are made of. It belongs to the goroutine of its
// [Maker].
type Page struct {
	ID      PageID
	Tab     TabID
	Browser string // its name if there are several, else ""
	Index   int    // the {idx} of page{idx}
	Gen     Gen    // of the main document
	Domain  string // as in names
	Origin  string // of the main document, see names.DocumentOrigin
	Host    string // as people read it, see names.PageHost
	Site    string // of the main document, see names.SiteOf; with [MCPBNames] only
	Active  bool   // the page is the user's tab; set with [MCPBNames] only
	// Origins says which of the page's documents may offer anything; nil permits all. It starts as that of [Rules].
	Origins *names.Origins

	maker  *Maker
	labels labels
}

// Locate sets the page's address and the origin that the browser reports. It returns whether anything changed that
// depends on them.
func (p *Page) Locate(url, reported string) bool {
	domain, host := names.ExtractDomain(url), names.PageHost(url, reported)
	origin := names.DocumentOrigin(reported, url)
	if domain == p.Domain && origin == p.Origin && host == p.Host {
		return false
	}
	if origin != p.Origin && p.maker.Naming == MCPBNames {
		p.Site = names.SiteOf(origin)
	}
	p.Domain, p.Origin, p.Host = domain, origin, host
	return true
}

// PlainName returns the name that a tool of the page gets if the name is free.
func (p *Page) PlainName(tool string) string {
	return p.style().Plain(p.Domain, p.number(), tool, p.maker.MaxName)
}

// DistinctName returns another name for the tool, a different one for each attempt. key distinguishes the tool from
// others of the page with the same plain name.
func (p *Page) DistinctName(tool, key string, attempt int) string {
	return p.style().Distinct(p.Domain, p.number(), tool, key, attempt, p.maker.MaxName)
}

func (p *Page) style() names.Style {
	if p.maker.Naming == MCPBNames {
		return names.MCPB
	}
	return names.WebMCP
}

// number returns the number that the page has in names.
func (p *Page) number() int {
	if p.maker.Naming == MCPBNames {
		return int(p.Tab)
	}
	return p.Index
}

// MadeFor reports whether making t for p now would give the same tool.
func (t *HubTool) MadeFor(p *Page) bool {
	return t.domain == p.Domain && t.host == p.Host && t.origin == p.Origin && t.index == p.Index &&
		t.active == p.Active && t.main == (t.Route.Doc == p.Gen)
}

func (p *Page) descriptionPrefix() string {
	if p.maker.Naming != MCPBNames {
		return inBrowser(p.Browser, names.PagePrefix(p.Host, p.Index))
	}
	return inBrowser(p.Browser, names.SitePrefix(p.Site, names.TabLabel(int(p.Tab), p.Active)))
}

// inBrowser adds the name of a page's browser to the prefix of descriptions; browser is "" for none.
func inBrowser(browser, prefix string) string {
	if browser == "" {
		return prefix
	}
	return strings.TrimSuffix(prefix, "] ") + " • " + browser + "] "
}
