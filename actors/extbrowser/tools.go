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

// maxIdleFrames is how many iframes without tools a page remembers, so as to
// say what became of those that they had.
const maxIdleFrames = 100

// toolsChanged makes the list that the extension tells the page's. It is the
// whole list, each time.
func (p *Link) toolsChanged(m *extlink.ToolsChanged) {
	switch {
	case m.Doc == "":
	case p.doc != "" && m.Doc != p.doc:
		return // of the document before
	case p.doc == "" && p.toolsDoc != "" && m.Doc != p.toolsDoc:
		p.navigated()
	}
	if p.doc == "" {
		p.toolsDoc = m.Doc
	}
	p.latest = m
	p.originIs(m)
	if p.Phase() != tab.Ready { // not shown
		p.ReportSoon()
		return
	}
	lists := map[*frame]map[string]*registry.PageTool{}
	for i := range m.Tools {
		t := &m.Tools[i]
		if t.FrameID == 0 && p.doc != "" && t.Doc != "" && t.Doc != p.doc {
			continue // likewise
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
	p.Changed()
}

// originIs takes what the browser says of the main document's origin: with the
// tools, or for its own tools alone.
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

// documentIs notes which document of its frame a tool is of. An iframe's new
// one shows only in this way.
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

// registered is a tool as the registry takes it.
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

// runtimeOf says where the extension has a tool from. What Chrome, a server
// or a polyfill of the page's offers it doesn't tell apart.
func runtimeOf(t *extlink.Tool) offer.Runtime {
	switch t.Runtime {
	case extlink.RuntimeForm:
		return offer.Form
	case extlink.RuntimeDOM:
		return offer.DOM
	}
	return offer.Extension
}

// inOrder are the frames as they were met, the main one first.
func (p *Link) inOrder() []*frame {
	return slices.SortedFunc(maps.Values(p.frames), func(a, b *frame) int { return cmp.Compare(a.order, b.order) })
}

// Tools are the page's tools, each frame's by name.
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

// Frames are the page's frames but the main one.
func (p *Link) Frames() (all []registry.Frame) {
	for _, f := range p.inOrder() {
		if f.id != 0 {
			all = append(all, registry.Frame{ID: f.frameID(), Doc: f.gen, URL: f.url})
		}
	}
	return all
}

// Offers is what the page's servers declare: an extension tells of no resources and
// prompts. What its pages ask is in requests.go.
func (p *Link) Offers() (now registry.OffersReported) {
	if p.latest != nil {
		now.Browser = offer.BrowserCapabilities(p.latest.Browser)
	}
	return now
}

func (p *Link) SaidMeanwhile() (none []registry.Event) { return none }
