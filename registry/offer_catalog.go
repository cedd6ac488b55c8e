package registry

import (
	"slices"
	"strings"
)

// OfferCatalog is the immutable set of everything that pages' own MCP servers
// offer besides tools, at one version. Any goroutine may read it. What its
// methods return must not be modified.
type OfferCatalog struct {
	version uint64
	tabs    *Catalog      // by which the pages are numbered
	pages   []*PageOffers // in index order, those that offer something
	byPage  map[PageID]*PageOffers
	byURI   map[string]*HubResource // but templates
	byName  map[string]*HubPrompt
	all     PageOffers
	browser BrowserCapabilities // of all pages together
}

// PageOffers is what one page offers, in the order in which it was reported.
// Its pointer stays the same as long as that does.
type PageOffers struct {
	Page                 PageID
	Resources, Templates []*HubResource
	Prompts              []*HubPrompt

	from madeFrom
}

// madeFrom is all that a page's offers are made from.
type madeFrom struct {
	version uint64 // of its report
	index   int
	tab     TabID
	url     string
	origin  string
}

// EmptyOfferCatalog has nothing, and version 0.
func EmptyOfferCatalog() *OfferCatalog { return newOfferCatalog(0, EmptyCatalog(), nil) }

func newOfferCatalog(version uint64, tabs *Catalog, pages []*PageOffers) *OfferCatalog {
	c := &OfferCatalog{version: version, tabs: tabs, pages: pages,
		byPage: map[PageID]*PageOffers{}, byURI: map[string]*HubResource{}, byName: map[string]*HubPrompt{}}
	for _, p := range pages {
		c.byPage[p.Page] = p
		for _, r := range p.Resources {
			c.byURI[r.URI] = r
		}
		for _, t := range p.Prompts {
			c.byName[t.Name] = t
		}
		c.all.Resources = append(c.all.Resources, p.Resources...)
		c.all.Templates = append(c.all.Templates, p.Templates...)
		c.all.Prompts = append(c.all.Prompts, p.Prompts...)
	}
	c.all = c.all.sorted()
	return c
}

// With is the catalog with newer tabs, which change nothing of it but what
// errors say of pages that are gone.
func (c *OfferCatalog) With(tabs *Catalog) *OfferCatalog {
	n := *c
	n.tabs = tabs
	return &n
}

// Version grows with each catalog that [Offers] serve.
func (c *OfferCatalog) Version() uint64 { return c.version }

// Offers are what a client is shown, resources sorted by URI and prompts by
// name: everything for "", else what that page offers.
func (c *OfferCatalog) Offers(page PageID) PageOffers {
	if page == "" {
		return c.all
	}
	if p := c.byPage[page]; p != nil {
		return p.sorted()
	}
	return PageOffers{Page: page}
}

// Current is what a resource or template of another catalog is in this one,
// or nil: the same of the same page and site, perhaps of a later document.
func (c *OfferCatalog) Current(was *HubResource) *HubResource { return c.sameResource(was) }

// Len is how many resources, templates and prompts it has, with the tools of the
// tabs that it goes by.
func (c *OfferCatalog) Len() int {
	return len(c.all.Resources) + len(c.all.Templates) + len(c.all.Prompts) + c.tabs.Len()
}

func (c *OfferCatalog) of(page PageID) *PageOffers { return c.byPage[page] }

func (c *OfferCatalog) shows() bool { return len(c.pages) > 0 || c.browser != BrowserCapabilities{} }

// Differ says whether a client that was shown p would be shown other
// resources (or templates), or other prompts, by q.
func (p PageOffers) Differ(q PageOffers) (resources, prompts bool) {
	sameResource := func(a, b *HubResource) bool {
		return a == b || string(a.Encoded) == string(b.Encoded) && a.Server.Page == b.Server.Page && a.Original == b.Original
	}
	samePrompt := func(a, b *HubPrompt) bool {
		return a == b || string(a.Encoded) == string(b.Encoded) && a.Server.Page == b.Server.Page && a.Original == b.Original
	}
	return !slices.EqualFunc(p.Resources, q.Resources, sameResource) || !slices.EqualFunc(p.Templates, q.Templates, sameResource),
		!slices.EqualFunc(p.Prompts, q.Prompts, samePrompt)
}

func (p PageOffers) sorted() PageOffers {
	byURI := func(a, b *HubResource) int { return strings.Compare(a.URI, b.URI) }
	return PageOffers{
		Page:      p.Page,
		Resources: slices.SortedFunc(slices.Values(p.Resources), byURI),
		Templates: slices.SortedFunc(slices.Values(p.Templates), byURI),
		Prompts:   slices.SortedFunc(slices.Values(p.Prompts), func(a, b *HubPrompt) int { return strings.Compare(a.Name, b.Name) }),
	}
}

func (p *PageOffers) resources() []*HubResource {
	if p == nil {
		return nil
	}
	return p.Resources
}

func (p *PageOffers) templates() []*HubResource {
	if p == nil {
		return nil
	}
	return p.Templates
}

func (p *PageOffers) prompts() []*HubPrompt {
	if p == nil {
		return nil
	}
	return p.Prompts
}
