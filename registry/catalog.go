package registry

import (
	"cmp"
	"iter"
	"slices"

	"webmcphub/registry/offer"
)

// Catalog is the immutable set of all published tools at one version. It may be read from any goroutine. Callers must
// not modify what its methods return.
type Catalog struct {
	version       uint64
	tools         []*HubTool // sorted by name
	tabs          []*Tab
	places        map[PageID]int // indexes into tabs; catalogs with the same open pages share the map
	browserStatus *browserStatus // nil means that all browsers are connected
	front         PageID         // the tab that the user looks at; "" if unknown
	routed        []*HubTool     // sorted by name
	offers        *offer.Set     // nil means none; see Offered
	lingers       []*HubTool     // sorted by name; see Lingering
}

// browserStatus says which browsers are connected, and why others are not. It is immutable.
type browserStatus struct {
	text    string // of all browsers together, see [Catalog.BrowserStatus]
	several []Browser
}

func (s *browserStatus) same(o *browserStatus) bool {
	a, b := cmp.Or(s, &browserStatus{}), cmp.Or(o, &browserStatus{})
	return a.text == b.text && slices.EqualFunc(a.several, b.several, Browser.Same)
}

// EmptyCatalog returns a catalog with no tools, no pages and version 0.
func EmptyCatalog() *Catalog { return &Catalog{} }

// StartingCatalog returns an empty catalog for clients that ask before the hub knows anything about a browser.
// EmptyCatalog would wrongly tell them that the browser is connected and has no tabs.
func StartingCatalog() *Catalog {
	return &Catalog{browserStatus: &browserStatus{text: "connecting to Chrome; try again in a moment"}}
}

// Version returns the version. It grows with each catalog that a [State] serves.
func (c *Catalog) Version() uint64 { return c.version }

// SameTools reports whether both catalogs publish the same tools.
func (c *Catalog) SameTools(o *Catalog) bool { return slices.Equal(c.tools, o.tools) }

// Len returns the number of published tools.
func (c *Catalog) Len() int { return len(c.tools) }

// Lookup returns the published or lingering tool with this hub name, or nil.
func (c *Catalog) Lookup(name string) *HubTool {
	if i, found := slices.BinarySearchFunc(c.tools, name, offer.ByName); found {
		return c.tools[i]
	}
	if i, found := slices.BinarySearchFunc(c.lingers, name, offer.ByName); found {
		return c.lingers[i]
	}
	return nil
}

// WithRetired returns c with tools that are no longer published but that [Catalog.Lookup] still finds, unless a
// published tool has the same name. They belong to pages that are leaving, and clients that don't know this yet may
// still call them. tools must be sorted by name.
func (c *Catalog) WithRetired(tools []*HubTool) *Catalog {
	n := *c
	n.lingers = tools
	return &n
}

// Tools returns the published tools, sorted by name.
func (c *Catalog) Tools() []*HubTool { return c.tools }

// Tabs returns the open pages in index order. A Tab has its tools even if they are not listed, see [ListOptions].
func (c *Catalog) Tabs() []*Tab { return c.tabs }

// Tab returns an open page, or nil.
func (c *Catalog) Tab(p PageID) *Tab {
	if i, open := c.places[p]; open {
		return c.tabs[i]
	}
	return nil
}

// BrowserStatus returns "" while any browser is connected. Otherwise it returns a sentence that says what is wrong
// and what to do.
func (c *Catalog) BrowserStatus() string {
	if c.browserStatus == nil {
		return ""
	}
	return c.browserStatus.text
}

// Browsers returns the browsers of a hub that has several, in order, with their status. It returns nil if the hub has
// one browser.
func (c *Catalog) Browsers() []Browser {
	if c.browserStatus == nil {
		return nil
	}
	return c.browserStatus.several
}

// StatusOf returns [Catalog.BrowserStatus] if no browser is connected, and otherwise the status of the browser with
// that name.
func (c *Catalog) StatusOf(browser string) string {
	return cmp.Or(c.BrowserStatus(), BrowserStatus(c.Browsers(), browser))
}

// Front returns the tab that the user looks at, or "" if that is not known.
func (c *Catalog) Front() PageID { return c.front }

// Offered returns what pages offer besides tools.
func (c *Catalog) Offered() *offer.Set {
	if c.offers == nil {
		return offer.Empty
	}
	return c.offers
}

// Size returns the number of tools and offers.
func (c *Catalog) Size() int { return c.Len() + c.Offered().Size() }

// at returns c with another version. No client has seen a catalog of that version.
func (c *Catalog) at(version uint64) *Catalog {
	if c.version == version {
		return c
	}
	n := *c
	n.version = version
	return &n
}

// WithTools returns c with these of its tools only, for a client that sees no others.
func (c *Catalog) WithTools(tools []*HubTool) *Catalog {
	only := func(all []*HubTool) []*HubTool {
		return slices.DeleteFunc(slices.Clone(all), func(t *HubTool) bool { return !slices.Contains(tools, t) })
	}
	n := &Catalog{version: c.version, browserStatus: c.browserStatus, front: c.front, routed: only(c.routed), places: map[PageID]int{}}
	for _, t := range tools {
		if i, has := slices.BinarySearchFunc(c.tools, t.Name, offer.ByName); has && c.tools[i] == t {
			n.tools = append(n.tools, t)
		}
		if tab := c.Tab(t.Route.Page); tab != nil && n.Tab(tab.Page) == nil {
			part := *tab
			part.Tools, part.Shown = only(tab.Tools), only(tab.Shown)
			n.places[tab.Page] = len(n.tabs)
			n.tabs = append(n.tabs, &part)
		}
	}
	slices.SortFunc(n.tools, compareNames)
	return n
}

// next returns the catalog that follows c. withdraw and publish are sorted by name, and no name is in both.
func (c *Catalog) next(withdraw []string, publish []*HubTool, tabs []*Tab, stand *browserStatus) *Catalog {
	n := &Catalog{version: c.version + 1, tools: c.tools, tabs: tabs, places: c.places, browserStatus: stand}
	if len(withdraw)+len(publish) > 0 {
		n.tools = offer.ApplyEdits(c.tools, withdraw, publish)
	}
	if !slices.EqualFunc(tabs, c.tabs, func(a, b *Tab) bool { return a.Page == b.Page }) {
		n.places = make(map[PageID]int, len(tabs))
		for i, t := range tabs {
			n.places[t.Page] = i
		}
	}
	return n
}

// ChooseTab returns the tab's tool to call for a site's tool, see [offer.ChooseTool].
func (c *Catalog) ChooseTab(r *offer.SiteTool, free func(*HubTool) bool) *HubTool {
	return offer.ChooseTool(siteTabs(c.tabs), r, free)
}

// siteTabs yields the tabs as package offer sees them.
func siteTabs(tabs []*Tab) iter.Seq[*offer.SiteTab] {
	return func(yield func(*offer.SiteTab) bool) {
		for _, t := range tabs {
			if !yield(&t.SiteTab) {
				return
			}
		}
	}
}

// SiteTools returns the published tools that belong to sites rather than tabs, sorted by name.
func (c *Catalog) SiteTools() []*HubTool { return c.routed }
