package registry

import (
	"cmp"
	"iter"
	"slices"

	"webmcphub/registry/offer"
)

// Catalog is the immutable set of all published tools at one version. Any
// goroutine may read it. What its methods return must not be modified.
type Catalog struct {
	version uint64
	tools   []*HubTool // by name
	tabs    []*Tab
	places  map[PageID]int // in tabs; catalogs share it while the same pages are open
	stand   *standing      // of browsers; nil is well
	front   PageID         // the user's tab, "" if unknown
	routed  []*HubTool     // by name
	offers  *offer.Set     // nil is none, see offered
	lingers []*HubTool     // by name, see Lingering
}

// standing is how browsers stand. It is immutable.
type standing struct {
	text    string // of all together, see [Catalog.BrowserStatus]
	several []Browser
}

func (s *standing) same(o *standing) bool {
	a, b := cmp.Or(s, &standing{}), cmp.Or(o, &standing{})
	return a.text == b.text && slices.EqualFunc(a.several, b.several, Browser.Same)
}

// EmptyCatalog has no tools and no pages, and version 0.
func EmptyCatalog() *Catalog { return &Catalog{} }

// StartingCatalog is EmptyCatalog for a client that asks before anything has been
// told of a browser: that one is well, and without tabs, would be wrong.
func StartingCatalog() *Catalog {
	return &Catalog{stand: &standing{text: "connecting to Chrome; try again in a moment"}}
}

// Version grows with each catalog that a [State] serves.
func (c *Catalog) Version() uint64 { return c.version }

// SameTools says that two catalogs publish the same tools.
func (c *Catalog) SameTools(o *Catalog) bool { return slices.Equal(c.tools, o.tools) }

// Len is the number of published tools.
func (c *Catalog) Len() int { return len(c.tools) }

// Lookup finds a published tool by its hub name, or returns nil.
func (c *Catalog) Lookup(name string) *HubTool {
	if i, found := slices.BinarySearchFunc(c.tools, name, offer.ByName); found {
		return c.tools[i]
	}
	if i, found := slices.BinarySearchFunc(c.lingers, name, offer.ByName); found {
		return c.lingers[i]
	}
	return nil
}

// Lingering is c with tools that [Catalog.Lookup] finds though they are published no longer, unless
// a published one has their name. They are of pages that leave, for clients that haven't heard of it
// yet, and sorted by name.
func (c *Catalog) Lingering(tools []*HubTool) *Catalog {
	n := *c
	n.lingers = tools
	return &n
}

// Tools returns the published tools sorted by name.
func (c *Catalog) Tools() []*HubTool { return c.tools }

// Tabs returns the open pages in index order. Their tools are there also where
// none is published, see [Sight].
func (c *Catalog) Tabs() []*Tab { return c.tabs }

// Tab finds an open page, or returns nil.
func (c *Catalog) Tab(p PageID) *Tab {
	if i, open := c.places[p]; open {
		return c.tabs[i]
	}
	return nil
}

// BrowserStatus is empty while any browser is connected, else a sentence that says
// what the matter is and what to do.
func (c *Catalog) BrowserStatus() string {
	if c.stand == nil {
		return ""
	}
	return c.stand.text
}

// Browsers are those of a hub that has several, in their order, and how each stands; nil
// where it has one.
func (c *Catalog) Browsers() []Browser {
	if c.stand == nil {
		return nil
	}
	return c.stand.several
}

// StatusOf is [Catalog.BrowserStatus] for the browser of that name: that of all where none
// has such a name.
func (c *Catalog) StatusOf(browser string) string {
	return cmp.Or(c.BrowserStatus(), BrowserStatus(c.Browsers(), browser))
}

// Front is the tab that the user looks at, or "" if that is not known.
func (c *Catalog) Front() PageID { return c.front }

// Offered is what pages offer besides tools.
func (c *Catalog) Offered() *offer.Set {
	if c.offers == nil {
		return offer.Empty
	}
	return c.offers
}

// Size is how many tools and offers it has.
func (c *Catalog) Size() int { return c.Len() + c.Offered().Size() }

// at is c as the catalog of another version, which no client has seen.
func (c *Catalog) at(version uint64) *Catalog {
	if c.version == version {
		return c
	}
	n := *c
	n.version = version
	return &n
}

// Excerpt is c with these of its tools alone, for a client that is told of no others.
func (c *Catalog) Excerpt(tools []*HubTool) *Catalog {
	only := func(all []*HubTool) []*HubTool {
		return slices.DeleteFunc(slices.Clone(all), func(t *HubTool) bool { return !slices.Contains(tools, t) })
	}
	n := &Catalog{version: c.version, stand: c.stand, front: c.front, routed: only(c.routed), places: map[PageID]int{}}
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

// next makes the catalog that follows c. Withdrawn names and published tools
// are sorted, and no name is in both.
func (c *Catalog) next(withdraw []string, publish []*HubTool, tabs []*Tab, stand *standing) *Catalog {
	n := &Catalog{version: c.version + 1, tools: c.tools, tabs: tabs, places: c.places, stand: stand}
	if len(withdraw)+len(publish) > 0 {
		n.tools = offer.Edited(c.tools, withdraw, publish)
	}
	if !slices.EqualFunc(tabs, c.tabs, func(a, b *Tab) bool { return a.Page == b.Page }) {
		n.places = make(map[PageID]int, len(tabs))
		for i, t := range tabs {
			n.places[t.Page] = i
		}
	}
	return n
}

// ChooseTab finds the tool to call for a routed one, see [sites.Choose].
func (c *Catalog) ChooseTab(r *offer.Routed, free func(*HubTool) bool) *HubTool {
	return offer.ChooseTool(siteTabs(c.tabs), r, free)
}

// siteTabs are tabs as the tools of sites hang on them.
func siteTabs(tabs []*Tab) iter.Seq[*offer.SiteTab] {
	return func(yield func(*offer.SiteTab) bool) {
		for _, t := range tabs {
			if !yield(&t.SiteTab) {
				return
			}
		}
	}
}

// Routed are the published tools of sites rather than tabs, by name.
func (c *Catalog) Routed() []*HubTool { return c.routed }
