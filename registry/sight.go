package registry

import (
	"slices"
	"webmcphub/registry/names"
)

// Sight is how one client looks at a catalog, where that differs from how the
// hub publishes it. The zero value sees it as it is.
type Sight struct {
	// MaxName is the longest tool name in bytes that the client takes, from
	// [names.MinMaxName]; 0 takes them all.
	MaxName int
	// Unlisted shows no page tools in the list. Those of tabs can be called by
	// whoever asks for them.
	Unlisted bool
}

// As is the catalog as a client of that sight sees it: the same version of the
// same pages. The same catalog and sight give the same names. It is c itself
// where nothing differs.
func (c *Catalog) As(s Sight) *Catalog {
	if s.MaxName > 0 {
		c = c.shortened(max(s.MaxName, names.MinMaxName))
	}
	if s.Unlisted {
		c = c.unlisted()
	}
	return c
}

// unlisted publishes nothing; its tabs still have their tools.
func (c *Catalog) unlisted() *Catalog {
	n := *c
	n.tools, n.routed = nil, nil
	n.tabs = slices.Clone(c.tabs)
	for i, t := range n.tabs {
		if len(t.Shown) > 0 {
			u := *t
			u.Shown = nil
			n.tabs[i] = &u
		}
	}
	return &n
}

// shortened renames the tools whose names are longer than max bytes: to what
// they would be called in a hub of that limit, unless two come to be called the same.
func (c *Catalog) shortened(max int) *Catalog {
	long := func(h *HubTool) bool { return len(h.Name) > max }
	anyLong := slices.ContainsFunc(c.tools, long) ||
		slices.ContainsFunc(c.tabs, func(t *Tab) bool { return slices.ContainsFunc(t.Tools, long) })
	if !anyLong {
		return c
	}
	r := renaming{max: max, taken: map[string]bool{}, to: map[*HubTool]*HubTool{}}
	for _, h := range c.tools {
		r.taken[h.Name] = true
	}
	n := *c
	n.tabs = slices.Clone(c.tabs)
	for i, t := range c.tabs {
		if !slices.ContainsFunc(t.Tools, long) {
			continue
		}
		u := *t
		u.Tools = r.tools(t.Tools, t.ID)
		u.Shown = r.tools(t.Shown, t.ID)
		n.tabs[i] = &u
	}
	n.routed = r.tools(c.routed, 0)
	n.tools = r.tools(c.tools, 0) // of tabs and sites, so all are known
	slices.SortFunc(n.routed, compareNames)
	slices.SortFunc(n.tools, compareNames)
	return &n
}

// renaming gives tools shorter names, each once.
type renaming struct {
	max   int
	taken map[string]bool
	to    map[*HubTool]*HubTool // nil for one without a name
}

func (r *renaming) tools(all []*HubTool, tab TabID) []*HubTool {
	if all == nil {
		return nil
	}
	renamed := make([]*HubTool, 0, len(all))
	for _, h := range all {
		if len(h.Name) > r.max {
			h = r.tool(h, tab)
		}
		if h != nil { // a page that works at clashing hashes loses this tool
			renamed = append(renamed, h)
		}
	}
	return renamed
}

func (r *renaming) tool(h *HubTool, tab TabID) *HubTool {
	if n, done := r.to[h]; done {
		return n
	}
	n := h.Shorter(r.max, tab, func(name string) bool { return !r.taken[name] })
	if n != nil {
		r.taken[n.Name] = true
	}
	r.to[h] = n
	return n
}
