package extbrowser

import (
	"cmp"
	"maps"
	"slices"

	"webmcphub/actors/tab"
	"webmcphub/extlink"
	"webmcphub/registry"

	"webmcphub/registry/offer"
)

// maxIdleFrames bounds how many iframes without tools a page remembers. They are remembered to say what became of
// their tools.
const maxIdleFrames = 100

// toolsChanged replaces the page's tools by the list that the extension has reported. It is always the whole list.
func (p *Link) toolsChanged(m *extlink.ToolsChanged) {
	switch {
	case m.Doc == "":
	case p.doc != "" && m.Doc != p.doc:
		return // the list belongs to the previous document
	case p.doc == "" && p.toolsDoc != "" && m.Doc != p.toolsDoc:
		p.navigated()
	}
	if p.doc == "" {
		p.toolsDoc = m.Doc
	}
	p.latest = m
	p.originIs(m)
	if p.Phase() != tab.Ready { // the hub is not attached
		p.ReportSoon()
		return
	}
	lists := map[*frame]map[string]*registry.PageTool{}
	for i := range m.Tools {
		t := &m.Tools[i]
		if t.FrameID == 0 && p.doc != "" && t.Doc != "" && t.Doc != p.doc {
			continue // the tool belongs to the previous document
		}
		f := p.frame(t.FrameID)
		p.documentIs(f, t)
		if lists[f] == nil {
			lists[f] = map[string]*registry.PageTool{}
		}
		lists[f][t.Name] = p.registered(f, t)
	}
	idle := 0
	for _, f := range p.inOrder() {
		f.tools.Take(p.Tab, f.frameID(), f.gen, lists[f])
		if len(f.tools.All()) == 0 && f.id != 0 {
			idle++
		}
	}
	for _, f := range p.inOrder() {
		if idle > maxIdleFrames && len(f.tools.All()) == 0 && f.id != 0 {
			delete(p.frames, f.id)
			idle--
		}
	}
	p.ReportTools()
}

// originIs records the main document's origin, as the browser reports it with the list of tools, or with one of its
// tools.
func (p *Link) originIs(m *extlink.ToolsChanged) {
	if m.Origin != "" {
		p.Doc.Origin = m.Origin
		return
	}
	for _, t := range m.Tools {
		if t.FrameID == 0 && t.Origin != "" {
			p.Doc.Origin = t.Origin
			return
		}
	}
}

// documentIs records to which document of its frame a tool belongs. This is the only way in which an iframe's new
// document shows.
func (p *Link) documentIs(f *frame, t *extlink.Tool) {
	f.url = cmp.Or(t.FrameURL, f.url)
	if t.Doc == "" || t.Doc == f.doc {
		return
	}
	if f.doc == "" || f.id == 0 {
		f.doc = t.Doc
		return
	}
	old := f.gen
	f.gen, f.doc, f.tools = p.NewGen(), t.Doc, tab.ToolList{}
	for c := range p.Calls {
		if c.Route.Frame == f.frameID() && c.Route.Doc == old {
			p.Finish(c, registry.EndedByFrame(c.Route.Tool))
		}
	}
}

// registered converts a tool for the registry.
func (p *Link) registered(f *frame, t *extlink.Tool) *registry.PageTool {
	a := t.Annotations
	tool := &registry.PageTool{
		Frame:        f.frameID(),
		Doc:          f.gen,
		FrameURL:     t.FrameURL,
		Origin:       t.Origin,
		Runtime:      runtimeOf(t),
		Name:         t.Name,
		Title:        t.Title,
		Description:  t.Description,
		InputSchema:  t.InputSchema,
		OutputSchema: t.OutputSchema,
		Meta:         t.Meta,
		Annotations: offer.Annotations{
			ReadOnly: a.ReadOnlyHint, Destructive: a.DestructiveHint, Idempotent: a.IdempotentHint,
			OpenWorld:     a.OpenWorldHint,
			Consequential: a.ConsequentialHint, Untrusted: a.UntrustedContentHint, Cache: a.Cache,
		},
	}
	if tool.FrameURL == "" && f.id == 0 {
		tool.FrameURL = p.Doc.URL
	}
	return tool
}

// runtimeOf returns the runtime by which the extension reaches a tool. The extension doesn't say whether Chrome, a
// server of the page or a polyfill offers the tool.
func runtimeOf(t *extlink.Tool) offer.Runtime {
	switch t.Runtime {
	case extlink.RuntimeForm:
		return offer.Form
	case extlink.RuntimeDOM:
		return offer.DOM
	}
	return offer.Extension
}

// inOrder returns the frames in the order in which they became known, the main one first.
func (p *Link) inOrder() []*frame {
	return slices.SortedFunc(maps.Values(p.frames), func(a, b *frame) int { return cmp.Compare(a.order, b.order) })
}

// Tools returns the page's tools, sorted by name within each frame.
func (p *Link) Tools() (all []*registry.PageTool) {
	if p.Phase() != tab.Ready {
		return nil
	}
	for _, f := range p.inOrder() {
		begin := len(all)
		for _, t := range f.tools.All() {
			all = append(all, t)
		}
		slices.SortFunc(all[begin:], func(a, b *registry.PageTool) int { return cmp.Compare(a.Name, b.Name) })
	}
	return all
}

// Frames returns the page's frames except the main one.
func (p *Link) Frames() (all []registry.Frame) {
	for _, f := range p.inOrder() {
		if f.id != 0 {
			all = append(all, registry.Frame{ID: f.frameID(), Doc: f.gen, URL: f.url})
		}
	}
	return all
}

// Offers returns what the page's servers declare. An extension reports no resources and prompts. requests.go handles
// what pages ask.
func (p *Link) Offers() (now registry.OffersReported) {
	if p.latest != nil {
		now.Browser = offer.BrowserCapabilities(p.latest.Browser)
	}
	return now
}

func (p *Link) DrainEvents() (none []registry.Event) { return none }
