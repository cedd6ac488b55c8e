package actors

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"webmcphub/registry"
)

// A page may make reportBurst reports at once, and beyond that one in a
// reportInterval: one that floods costs the registry, and so the others, little.
const (
	reportBurst    = 10
	reportInterval = time.Millisecond
)

// changed says that the page's tool set may have changed. The report stands
// in the mailbox behind the changes that have arrived already, so a burst is
// told once.
func (p *pageActor) changed() {
	if p.reporting || p.self == nil {
		return
	}
	p.reporting = true
	if wait := p.reports.Reserve().Delay(); wait > 0 {
		root, self := p.root, p.self
		time.AfterFunc(wait, func() { root.Send(self, reportDue{}) })
		return
	}
	p.root.Send(p.self, reportDue{})
}

// report tells the registry the whole tool set. Between two documents, while
// the address isn't known, it waits for settle.
func (p *pageActor) report() {
	p.reporting = false
	if p.unsettled {
		return
	}
	p.tell(registry.ToolsReported{Page: p.id, Gen: p.gen, Tools: p.tools()})
}

// tools lists the page's tools: the main frame's first, then each frame's as
// they were met, by name within a frame. A tool that both runtimes offer is
// the native one. @mcp-b/global also lists the native tools of other frames,
// which it can't call: those are known by name and description.
func (p *pageActor) tools() []*registry.PageTool {
	frames := slices.SortedFunc(maps.Values(p.frames), func(a, b *frame) int { return cmp.Compare(a.order, b.order) })
	type said struct{ name, description string }
	native := map[said]bool{}
	for _, f := range frames {
		for name, t := range f.native {
			native[said{name, t.Description}] = true
		}
	}
	var all []*registry.PageTool
	for _, f := range frames {
		begin := len(all)
		for _, t := range f.native {
			all = append(all, t)
		}
		if f.server != nil {
			for name, t := range f.server.tools {
				if f.native[name] == nil && !native[said{name, t.Description}] {
					all = append(all, t)
				}
			}
		}
		slices.SortFunc(all[begin:], func(a, b *registry.PageTool) int { return cmp.Compare(a.Name, b.Name) })
	}
	return all
}
