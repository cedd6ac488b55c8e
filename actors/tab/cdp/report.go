package cdp

import (
	"cmp"
	"maps"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Frames returns the page's frames except the main one, in the order in which they became known.
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

// hasOwnTools says whether the document has tools other than those that the hub makes from its content.
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

// Tools returns the page's tools: the main frame's first, then each frame's in the order in which the frames became
// known, sorted by name within a frame. If several runtimes offer a tool, Tools returns the native one, completed by
// what only the page's own server reports, or else that server's. Tools that the hub makes ([offer.DOM]) are included
// only while neither their document nor the main document has tools of its own. @mcp-b/global also lists the native
// tools of other frames, which it can't call. Tools leaves these out; it recognizes them by name and description.
func (p *Link) Tools() []*registry.PageTool {
	if len(p.frames) == 1 && p.main.servers.All() == nil {
		return p.main.native.list()
	}
	frames := p.inOrder()
	type identity struct{ name, description string }
	native := map[identity]bool{}
	for _, f := range frames {
		for _, t := range f.native.sorted {
			native[identity{t.Name, t.Description}] = true
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
				if !taken && !native[identity{name, t.Description}] {
					all = append(all, t)
				}
			}
			slices.SortFunc(all[begin:], func(a, b *registry.PageTool) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	return all
}

// Offers returns what the page's own servers offer besides tools.
func (p *Link) Offers() (now registry.OffersReported) {
	for _, s := range p.ownServers() {
		s.AddOffers(&now)
	}
	return now
}

// DrainEvents returns what these servers have said since the last report.
func (p *Link) DrainEvents() (events []registry.Event) {
	for _, s := range p.ownServers() {
		events = append(events, s.DrainEvents()...)
	}
	return events
}

func (p *Link) logLevelSet() {
	for _, s := range p.ownServers() {
		s.TellLogLevel()
	}
}

// ownServers returns the page's own servers, of all its frames.
func (p *Link) ownServers() (all []*PageServer) {
	for _, f := range p.inOrder() {
		if f.servers.Own != nil {
			all = append(all, f.servers.Own)
		}
	}
	return all
}
