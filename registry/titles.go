package registry

import "slices"

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
