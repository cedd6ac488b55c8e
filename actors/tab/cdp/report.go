package cdp

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Frames are the page's frames but the main one, as they were met.
func (p *Link) Frames() (all []registry.Frame) {
	for _, f := range p.inOrder() {
		if f != p.main {
			all = append(all, registry.Frame{ID: f.id, Doc: f.doc, URL: f.url})
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
	for _, s := range f.servers() {
		for _, t := range s.tools {
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
	if len(p.frames) == 1 && p.main.servers() == nil {
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
			if f.server != nil {
				t = f.server.completed(t)
			}
			all = append(all, t)
		}
		for _, s := range f.servers() {
			for name, t := range s.tools {
				taken := f.native.get(name) != nil || s.adapter && f.server != nil && f.server.tools[name] != nil
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

// Chrome's events leave out the titles of tools, and of their hints those that are
// MCP's alone. Where the page's own MCP server mirrors its tools to Chrome
// (@mcp-b/global), it still tells them.

// mirrored is a tool that Chrome and the page's own server both tell of: as each
// of them does, and as it is reported.
type mirrored struct{ native, own, whole *registry.PageTool }

// completed is a native tool with what only the server of its own frame tells of
// it. The same two give the same pointer again.
func (s *pageServer) completed(native *registry.PageTool) *registry.PageTool {
	own := s.tools[native.Name]
	if own == nil || own.Description != native.Description { // not mirrored, or another tool by now
		return native
	}
	m := s.mirrored[native.Name]
	if m.native == native && m.own == own {
		return m.whole
	}
	whole := *native
	whole.Title = cmp.Or(native.Title, own.Title)
	whole.Annotations = hintsOf(native.Annotations, own.Annotations)
	switch {
	case whole.Same(native):
		m.whole = native
	case m.whole == nil || !whole.Same(m.whole):
		m.whole = &whole
	}
	if s.mirrored == nil {
		s.mirrored = map[string]mirrored{}
	}
	s.mirrored[native.Name] = mirrored{native, own, m.whole}
	return m.whole
}

// hintsOf joins what Chrome and the page's server say of a tool. What the tool does
// (readOnly, destructive, idempotent) is said by one of them, since parts of two
// statements are a third one that nobody made: by the server, which can say all of it,
// unless Chrome knows that the tool reads only and the server names no danger.
func hintsOf(native, own offer.Annotations) offer.Annotations {
	yes := func(hint *bool) bool { return hint != nil && *hint }
	from := own
	if yes(native.ReadOnly) && !yes(own.ReadOnly) && !yes(own.Destructive) {
		from = native
	}
	all := native.Or(own)
	all.ReadOnly, all.Destructive, all.Idempotent = from.ReadOnly, from.Destructive, from.Idempotent
	return all
}

// forget drops a tool that is no longer the server's.
func (s *pageServer) forget(name string) {
	delete(s.tools, name)
	delete(s.mirrored, name)
}

// serverHints are the hints that a page's server gives a tool.
func serverHints(raw json.RawMessage) offer.Annotations {
	var hints struct {
		ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint, Cache *bool
	}
	if json.Unmarshal(raw, &hints) != nil {
		return offer.Annotations{} // none, or not an object
	}
	return offer.Annotations{ReadOnly: hints.ReadOnlyHint, Destructive: hints.DestructiveHint, Idempotent: hints.IdempotentHint, OpenWorld: hints.OpenWorldHint, Cache: hints.Cache}
}
