package cdp

import (
	"cmp"
	"maps"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Frames are the page's frames but the main one, as they were met.
func (p *Link) Frames() (all []registry.Frame) {
	for _, f := range p.inOrder() {
		if f != p.main {
			is := registry.Frame{ID: f.id, Doc: f.doc, URL: f.url}
			if f.parent != p.main.id {
				is.In = f.parent
			}
			all = append(all, is)
		}
	}
	return all
}

func (p *Link) inOrder() []*frame {
	if len(p.frames) == 1 {
		return []*frame{p.main}
	}
	return slices.SortedFunc(maps.Values(p.frames), func(a, b *frame) int { return cmp.Compare(a.order, b.order) })
}

// hasOwnTools tells whether there are others than those that the hub makes of
// what is in the document.
func (f *frame) hasOwnTools() bool {
	if len(f.native.sorted) > 0 {
		return true
	}
	for _, s := range f.servers.All() {
		for _, t := range s.All() {
			if t.Runtime != offer.DOM {
				return true
			}
		}
	}
	return false
}

// Tools lists the page's tools: the main frame's first, then each frame's as
// they were met, by name within a frame. A tool that several runtimes offer
// is the native one, with what only the page's own server tells of it, else that server's. Those that the hub makes
// ([offer.DOM]) stand in for a document's own while neither it nor the main one has any. @mcp-b/global also lists
// the native tools of other frames, which it can't call: those are known by
// name and description.
func (p *Link) Tools() []*registry.PageTool {
	if len(p.frames) == 1 && p.main.servers.All() == nil {
		return p.main.native.list()
	}
	frames := p.inOrder()
	type said struct{ name, description string }
	native := map[said]bool{}
	for _, f := range frames {
		for _, t := range f.native.sorted {
			native[said{t.Name, t.Description}] = true
		}
	}
	var all []*registry.PageTool
	made := p.Env().Introspect && !p.main.hasOwnTools()
	for _, f := range frames {
		begin, dom := len(all), made && !f.hasOwnTools()
		for _, t := range f.native.sorted {
			if own := f.servers.Own; own != nil {
				t = own.Completed(t)
			}
			all = append(all, t)
		}
		own := f.servers.Own
		for _, s := range f.servers.All() {
			for name, t := range s.All() {
				taken := f.native.get(name) != nil || s != own && own != nil && own.Get(name) != nil
				taken = taken || t.Runtime == offer.DOM && !dom
				if !taken && !native[said{name, t.Description}] {
					all = append(all, t)
				}
			}
			slices.SortFunc(all[begin:], func(a, b *registry.PageTool) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	return all
}

// Offers is what the page's own servers offer besides tools.
func (p *Link) Offers() (now registry.OffersReported) {
	for _, s := range p.ownServers() {
		s.AddOffers(&now)
	}
	return now
}

// SaidMeanwhile is what they have said since the last report.
func (p *Link) SaidMeanwhile() (events []registry.Event) {
	for _, s := range p.ownServers() {
		events = append(events, s.SaidMeanwhile()...)
	}
	return events
}

func (p *Link) logLevelSet() {
	for _, s := range p.ownServers() {
		s.TellLogLevel()
	}
}

// ownServers are the page's own, of all its frames.
func (p *Link) ownServers() (all []*PageServer) {
	for _, f := range p.inOrder() {
		if f.servers.Own != nil {
			all = append(all, f.servers.Own)
		}
	}
	return all
}
