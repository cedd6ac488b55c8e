package offer

import (
	"strings"

	"webmcphub/registry/names"
)

// Page is a page as what it offers is named after it and tells of it. It belongs to
// the goroutine of its [Maker].
type Page struct {
	ID      PageID
	Tab     TabID
	Browser string // its name, where there are several, else ""
	Index   int    // the {idx} of page{idx}
	Gen     Gen    // of the main document
	Domain  string // as in names
	Origin  string // of the main document, see names.DocumentOrigin
	Host    string // as people read it, see names.PageHost
	Site    string // of the main document, see names.SiteOf; with [MCPBNames] only
	Active  bool   // it is the user's tab; told with [MCPBNames] only
	// Origins says which of its documents may offer anything; nil is all. Those of [Rules]
	// are set at first.
	Origins *names.Origins

	maker  *Maker
	labels labels
}

// Locate gives the page an address and the origin that the browser says it has, and
// says whether that changes what hangs on them.
func (p *Page) Locate(url, said string) bool {
	domain, origin, host := names.ExtractDomain(url), names.DocumentOrigin(said, url), names.PageHost(url, said)
	if domain == p.Domain && origin == p.Origin && host == p.Host {
		return false
	}
	if origin != p.Origin && p.maker.Naming == MCPBNames {
		p.Site = names.SiteOf(origin)
	}
	p.Domain, p.Origin, p.Host = domain, origin, host
	return true
}

// PlainName is the name of a tool of the page if nobody has taken that.
func (p *Page) PlainName(tool string) string {
	return p.style().Plain(p.Domain, p.number(), tool, p.maker.MaxName)
}

// DistinctName is another name for it at each attempt. key tells it from others of
// the page that have the same plain name.
func (p *Page) DistinctName(tool, key string, attempt int) string {
	return p.style().Distinct(p.Domain, p.number(), tool, key, attempt, p.maker.MaxName)
}

func (p *Page) style() names.Style {
	if p.maker.Naming == MCPBNames {
		return names.MCPB
	}
	return names.WebMCP
}

// number is the one in names.
func (p *Page) number() int {
	if p.maker.Naming == MCPBNames {
		return int(p.Tab)
	}
	return p.Index
}

// MadeFor says that t would be made for p the same again.
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

// inBrowser adds the name of a page's browser, "" for none, to what descriptions of the
// page's offers begin with.
func inBrowser(browser, prefix string) string {
	if browser == "" {
		return prefix
	}
	return strings.TrimSuffix(prefix, "] ") + " • " + browser + "] "
}
