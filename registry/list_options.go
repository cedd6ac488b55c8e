package registry

import (
	"slices"
	"webmcphub/registry/names"
)

// ListOptions says how one client's view of a catalog differs from the catalog as published. The zero value changes
// nothing.
type ListOptions struct {
	// MaxName is the longest tool name, in bytes, that the client accepts; values below [names.MinMaxName] count as
	// that. 0 means no limit.
	MaxName int
	// Unlisted hides page tools from the list. The tools of tabs can still be called.
	Unlisted bool
}

// WithOptions returns the catalog as a client with these options sees it: the same version of the same pages. The same
// catalog and options always give the same names. WithOptions returns c itself if nothing differs.
func (c *Catalog) WithOptions(s ListOptions) *Catalog {
	if s.MaxName > 0 {
		c = c.shortened(max(s.MaxName, names.MinMaxName))
	}
	if s.Unlisted {
		c = c.unlisted()
	}
	return c
}

// unlisted returns c with no published tools; its tabs still have their tools.
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

// shortened returns c with shorter names for the tools whose names are longer than max bytes. The names are those of
// a hub with that limit, unless two tools would get the same name.
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
	n.tools = r.tools(c.tools, 0) // tools of tabs and of sites; all have been renamed above
	slices.SortFunc(n.routed, compareNames)
	slices.SortFunc(n.tools, compareNames)
	return &n
}

// renaming gives tools shorter names, each name once.
type renaming struct {
	max   int
	taken map[string]bool
	to    map[*HubTool]*HubTool // nil for a tool without a name
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
		if h != nil { // a page that provokes clashing hashes loses this tool
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
