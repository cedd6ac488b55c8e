package live

import (
	"encoding/json"
	"fmt"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/tokencount"
)

// Limits of what a View shows of tabs, frames and tools.
const (
	maxShownTabs   = 200
	maxShownFrames = 100
	maxShownTools  = 300
)

// Browser is a browser with its tabs. If the hub has only one browser, that browser has no name.
type Browser struct {
	Name   string
	Labels []string
	Status string // why it isn't connected; "" if it is, or if it has no name
	Tabs   []Tab
}

// Tab is a tab as it is shown.
type Tab struct {
	ID                 registry.TabID
	Page               registry.PageID
	Title, URL, Origin string
	Condition          string
	Connected          bool
	Tools              int
	Tokens             int
	InFrames           int     // how many frames have these tools, counting the page itself
	Frames             []Frame // the page's own document first; only for the chosen tab
	MoreFrames         int
	MoreTools          int
	Refused            []Refused
}

// Frame is a document of a tab with its tools.
type Frame struct {
	URL   string
	Main  bool // the page's own document
	Depth int  // how many frames it is nested in, counting the page itself
	In    int  // index in Tab.Frames of the frame around it; 0 is the page itself
	Tools []Tool
}

// Refused is a tool that isn't published, and why.
type Refused struct{ Tool, Why string }

// Tool is a tool as it is shown.
type Tool struct {
	Name, Tool, Title, Description, Origin, Script, Runtime string
	Tokens                                                  int
	ReadOnly, Destructive                                   bool
}

// tree returns all browsers with the tabs that a filter selects, and how many tabs aren't shown.
func tree(c *registry.Catalog, f Filter) (all []Browser, more int) {
	for _, b := range c.Browsers() {
		all = append(all, Browser{Name: clean(b.Name), Labels: b.Labels, Status: clean(b.Status)})
	}
	shown := 0
	for _, t := range c.Tabs() {
		if !f.has(t.Title, t.URL, t.Browser) &&
			!slices.ContainsFunc(t.Tools, func(tool *registry.HubTool) bool { return f.has(tool.Name) }) {
			continue
		}
		if shown++; shown > maxShownTabs {
			more++
			continue
		}
		name := clean(t.Browser)
		i := slices.IndexFunc(all, func(b Browser) bool { return b.Name == name })
		if i < 0 { // the only browser, or one that is being removed
			i, all = len(all), append(all, Browser{Name: name})
		}
		all[i].Tabs = append(all[i].Tabs, tabOf(t))
	}
	return all, more
}

func tabOf(t *registry.Tab) Tab {
	n := Tab{ID: t.ID, Page: t.Page, Title: clean(t.Title), URL: clean(t.URL), Origin: clean(t.Origin),
		Condition: clean(t.Condition()), Connected: t.Connected(), Tools: len(t.Tools)}
	frames := map[registry.FrameID]bool{}
	for _, tool := range t.Tools {
		n.Tokens += tool.Cost(tokencount.Estimate[json.RawMessage])
		frames[tool.Route.Frame] = true
	}
	n.InFrames = len(frames)
	return n
}

// openTab returns an open tab, or nil if it isn't open.
func openTab(c *registry.Catalog, id registry.TabID) *registry.Tab {
	if i := slices.IndexFunc(c.Tabs(), func(t *registry.Tab) bool { return t.ID == id }); i >= 0 {
		return c.Tabs()[i]
	}
	return nil
}

// pageIndex returns the page{idx} that the names of a tab's tools contain, or "" if the tab has no tools.
func pageIndex(c *registry.Catalog, id registry.TabID) string {
	if t := openTab(c, id); t != nil && len(t.Tools) > 0 {
		return fmt.Sprintf("page%d", t.Index)
	}
	return ""
}

// one returns a tab with its frames and their tools, or nil if there is no such tab.
func one(c *registry.Catalog, id registry.TabID) *Tab {
	t := openTab(c, id)
	if t == nil {
		return nil
	}
	n := tabOf(t)
	n.Frames = []Frame{{URL: n.URL, Main: true}}
	place := map[registry.FrameID]int{} // tools of no iframe belong to the page itself
	for _, f := range nested(t.Frames()) {
		in := place[f.In]
		place[f.ID] = len(n.Frames) + n.MoreFrames
		if len(n.Frames) > maxShownFrames {
			n.MoreFrames++
			continue
		}
		n.Frames = append(n.Frames, Frame{URL: clean(f.URL), In: in, Depth: n.Frames[in].Depth + 1})
	}
	for i, tool := range t.Tools {
		at := place[tool.Route.Frame]
		if i >= maxShownTools || at >= len(n.Frames) {
			n.MoreTools++
			continue
		}
		n.Frames[at].Tools = append(n.Frames[at].Tools, toolOf(tool))
	}
	for _, r := range t.Refused[:min(len(t.Refused), maxShownTools)] {
		n.Refused = append(n.Refused, Refused{clean(r.Tool), clean(r.Why)})
	}
	return &n
}

// nested returns the frames in the order of their tree, each frame before those within it. A frame whose parent is
// unknown belongs to the page itself, and so does a frame that is its own ancestor.
func nested(frames []registry.Frame) []registry.Frame {
	known, within := map[registry.FrameID]bool{}, map[registry.FrameID][]registry.Frame{}
	for _, f := range frames {
		known[f.ID] = true
	}
	for _, f := range frames {
		if !known[f.In] {
			f.In = ""
		}
		within[f.In] = append(within[f.In], f)
	}
	all, placed := make([]registry.Frame, 0, len(frames)), map[registry.FrameID]bool{}
	var add func(f registry.Frame)
	add = func(f registry.Frame) {
		if placed[f.ID] {
			return
		}
		placed[f.ID] = true
		all = append(all, f)
		for _, kid := range within[f.ID] {
			add(kid)
		}
	}
	for _, f := range within[""] {
		add(f)
	}
	for _, f := range frames {
		if f.ID != "" && !placed[f.ID] {
			f.In = ""
			add(f)
		}
	}
	return all
}

func toolOf(tool *registry.HubTool) Tool {
	claims := tool.Claims()
	n := Tool{Name: tool.Name, Tool: clean(tool.Route.Tool), Origin: clean(tool.Origin()),
		Runtime: string(tool.Route.Runtime), Tokens: tool.Cost(tokencount.Estimate[json.RawMessage]),
		ReadOnly: claims.ReadOnly, Destructive: claims.Destructive}
	if source := tool.Source(); source != nil {
		n.Title, n.Description, n.Script = clean(source.Title), clean(source.Description), clean(source.Script)
	}
	return n
}
