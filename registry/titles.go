package registry

import (
	"slices"

	"webmcphub/registry/names"
)

// Title is a tab's title, with the address that the title belongs to.
type Title = names.Title

// WithTitles returns c with newer titles of its tabs, for readers who can't wait until the catalog has them. It uses
// a title only if the title belongs to the tab's address. If the catalog has no title of a tab yet, the tab has just
// come to its address, and a title that Chrome reported with that address may still be the previous document's.
// WithTitles returns c itself if no title differs. Don't use the result for [Resolve] or for a client's focus: no
// client has seen that catalog.
func (c *Catalog) WithTitles(titles map[PageID]Title) *Catalog {
	n := c
	for i, t := range c.tabs {
		if title, known := titles[t.Page]; known && title.Of(t.URL) && title.Text != t.Title &&
			(t.Title != "" || title.URL == "") {
			if n == c {
				n = new(*c)
				n.tabs = slices.Clone(c.tabs)
			}
			n.tabs[i] = new(*t)
			n.tabs[i].Title = title.Text
		}
	}
	return n
}

// WithoutTitles returns c without the titles of the tabs for which hidden returns true, and with only the origins of
// their addresses, for readers who may not see them. It returns c itself if there are no such tabs. Don't use the
// result for [Resolve] or for a client's focus.
func (c *Catalog) WithoutTitles(hidden func(*Tab) bool) *Catalog {
	n := c
	for i, t := range c.tabs {
		if t.Address.KeptOut() || !hidden(t) {
			continue
		}
		if n == c {
			n = new(*c)
			n.tabs = slices.Clone(c.tabs)
		}
		n.tabs[i] = new(*t)
		n.tabs[i].Address = names.OriginOnly(t.URL)
	}
	return n
}

// MapTabs returns a catalog with the tabs that as returns for those of c, without the tabs for which as returns nil,
// and with these states of browsers. The result publishes no tools.
func (c *Catalog) MapTabs(as func(*Tab) *Tab, stand BrowserStates) *Catalog {
	n := &Catalog{version: c.version, browserStatus: &browserStatus{stand.Text(), stand.Browsers()}, places: map[PageID]int{}}
	for _, t := range c.tabs {
		if t = as(t); t != nil {
			n.places[t.Page], n.tabs = len(n.tabs), append(n.tabs, t)
		}
	}
	return n
}
