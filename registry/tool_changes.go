package registry

import (
	"bytes"
	"webmcphub/registry/offer"
)

// ToolChange is one difference between the pages' tools in two catalogs.
type ToolChange struct {
	// Kind is "added", "removed", "updated" or "refused".
	Kind string
	Tab  TabID
	// Browser is the tab's browser, if there are several.
	Browser string
	Origin  string // of the tool's document, or of the page
	Tool    string // the page's name for the tool; not checked
	Name    string // the hub's name, unless refused
	Why     string // only if refused
}

// ToolChanges returns the differences between the tools of an earlier and a later catalog, page by page. A tool
// that only has another name or number counts as the same. ToolChanges may be called from any goroutine.
func ToolChanges(was, is *Catalog) (all []ToolChange) {
	for _, t := range was.Tabs() {
		if is.Tab(t.Page) == nil {
			all = append(all, tabDifference(t, nil)...)
		}
	}
	for _, t := range is.Tabs() {
		if old := was.Tab(t.Page); old != t {
			all = append(all, tabDifference(old, t)...)
		}
	}
	return all
}

// tabDifference compares two states of one tab; either may be nil.
func tabDifference(was, is *Tab) (all []ToolChange) {
	type key struct {
		frame FrameID
		tool  string
	}
	had := map[key]*HubTool{}
	refused := map[offer.Refusal]bool{}
	if was != nil {
		for _, h := range was.Tools {
			had[key{h.Route.Frame, h.Route.Tool}] = h
		}
		for _, r := range was.Refused {
			refused[r] = true
		}
	}
	of := func(kind string, tab *Tab, h *HubTool) ToolChange {
		return ToolChange{Kind: kind, Tab: tab.ID, Browser: tab.Browser, Origin: h.Origin(), Tool: h.Route.Tool,
			Name: h.Name}
	}
	var come []ToolChange
	if is != nil {
		for _, h := range is.Tools {
			k := key{h.Route.Frame, h.Route.Tool}
			old := had[k]
			delete(had, k)
			kind := "updated"
			switch {
			case old == nil:
				kind = "added"
			case old.Route.Doc == h.Route.Doc && sameOffer(old, h):
				continue
			}
			come = append(come, of(kind, is, h))
		}
		for _, r := range is.Refused {
			if !refused[r] {
				come = append(come, ToolChange{Kind: "refused", Tab: is.ID, Browser: is.Browser, Origin: is.Origin,
					Tool: r.Tool, Why: r.Why})
			}
		}
	}
	if was != nil {
		for _, h := range was.Tools {
			if had[key{h.Route.Frame, h.Route.Tool}] == h {
				all = append(all, of("removed", was, h))
			}
		}
	}
	return append(all, come...)
}

// sameOffer reports whether a page offers the same in two hub tools.
func sameOffer(t, o *HubTool) bool {
	a, b := t.Source(), o.Source()
	return a == b || a.Title == b.Title && a.Description == b.Description && a.Runtime == b.Runtime &&
		bytes.Equal(a.InputSchema, b.InputSchema) && bytes.Equal(a.OutputSchema, b.OutputSchema)
}
