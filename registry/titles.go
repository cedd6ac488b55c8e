package registry

import (
	"slices"

	"webmcphub/registry/names"
)

// Title is a tab's title and the address that it is of.
type Title = names.Title

// Titled is c with these titles of its tabs where they are of their addresses, for who reads them
// before the catalog has them. A tab whose title the catalog doesn't know yet has just come to its address, and what
// Chrome said with that address may be the title of the document before. It is c itself if they are the same. It is not
// for [Resolve] or for a client's focus: no client has seen such a catalog.
func (c *Catalog) Titled(titles map[PageID]Title) *Catalog {
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

// Withholding is c with no title of the tabs that hidden names, and nothing of their addresses but the origins, for
// who may not read them. It is c itself if there are none, and is not for [Resolve] or for a client's focus.
func (c *Catalog) Withholding(hidden func(*Tab) bool) *Catalog {
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
		n.tabs[i].Address = names.Withheld(t.URL)
	}
	return n
}

// Through is c as one sees it who is shown each tab as as gives it, and none where that is
// nil, and browsers that stand so. It publishes no tools.
func (c *Catalog) Through(as func(*Tab) *Tab, stand BrowserStates) *Catalog {
	n := &Catalog{version: c.version, stand: &standing{stand.Text(), stand.Browsers()}, places: map[PageID]int{}}
	for _, t := range c.tabs {
		if t = as(t); t != nil {
			n.places[t.Page], n.tabs = len(n.tabs), append(n.tabs, t)
		}
	}
	return n
}
