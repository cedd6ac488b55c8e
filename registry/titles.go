package registry

import (
	"slices"

	"webmcphub/registry/browsers"
)

// Titled is c with these titles of its tabs, for who reads them before the catalog
// has them. It is c itself if they are the same. It is not for [Resolve] or
// for a client's focus: no client has seen such a catalog.
func (c *Catalog) Titled(titles map[PageID]string) *Catalog {
	var tabs []*Tab
	for i, t := range c.tabs {
		if title, known := titles[t.Page]; known && title != t.Title {
			if tabs == nil {
				tabs = slices.Clone(c.tabs)
			}
			other := *t
			other.Title = title
			tabs[i] = &other
		}
	}
	if tabs == nil {
		return c
	}
	n := *c
	n.tabs = tabs
	return &n
}

// Through is c as one sees it who is shown each tab as as gives it, and none where that is
// nil, and browsers that stand so. It publishes no tools.
func (c *Catalog) Through(as func(*Tab) *Tab, stand browsers.Standing) *Catalog {
	n := &Catalog{version: c.version, stand: &standing{stand.Text(), stand.Browsers()}, places: map[PageID]int{}}
	for _, t := range c.tabs {
		if t = as(t); t != nil {
			n.places[t.Page], n.tabs = len(n.tabs), append(n.tabs, t)
		}
	}
	return n
}
