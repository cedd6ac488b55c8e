package registry

import (
	"webmcphub/registry/names"
)

// document is one document of a page, as what it offers tells of it.
type document struct {
	frame FrameID
	gen   Gen
	url   string // its address when it offered that
	said  string // its origin, as the browser says; "" if that isn't known
}

func (t *PageTool) document() document { return document{t.Frame, t.Doc, t.FrameURL, t.Origin} }

// whose says of which page something is that a document offers, and whose that
// document is.
type whose struct {
	origin  string // of the page
	from    string // the document's own
	foreign string // from, where that is not the page's own, see names.Foreign
	host    string // of the page, see names.PageHost
	index   int    // of the page
	tab     TabID  // of the page
}

// whose says whose a document of the page is.
func (p *page) whose(d document) whose {
	from := p.originOf(d)
	return whose{p.origin, from, names.Foreign(from, p.origin, d.gen == p.gen), p.host, p.index, p.tab}
}

// originOf is the origin of a document of the page.
func (p *page) originOf(d document) string {
	if p.isOwn(d) {
		return p.origin
	}
	return names.DocumentOrigin(d.said, d.url)
}

// isOwn says that a document whose origin nobody tells is the page's main one.
func (p *page) isOwn(d document) bool {
	return d.said == "" && d.gen == p.gen && !names.HasHost(d.url)
}

// identity is by what a client knows again what a page offers.
type identity struct {
	page  PageID
	frame FrameID
	doc   Gen
	offered
}

// offered is the same for a reloaded document: to a user it is the same then.
type offered struct {
	kind         OfferKind // tools are compared with tools only
	name         string    // the page's own
	origin, from string
}

// same says whether two are the same of one page. Their documents may differ.
func (a identity) same(b identity) bool { return a.page == b.page && a.offered == b.offered }

// Same says whether t and o are the same tool of the same page to a user: under one
// name, of one origin. Their documents may differ, as those before and after a reload do.
func (t *HubTool) Same(o *HubTool) bool { return t.identity().same(o.identity()) }

func (t *HubTool) identity() identity {
	return identity{t.Route.Page, t.Route.Frame, t.Route.Doc, offered{name: t.Route.Tool, origin: t.origin, from: t.from}}
}

func (o *Offer) identity() identity {
	return identity{o.Server.Page, o.Server.Frame, o.Server.Doc, offered{o.Kind, o.Original, o.origin, o.from}}
}
