package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/pagemcp"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// tools has a server's tools, as last read.
type tools struct {
	tab.ToolList
	mirrored map[string]mirrored // the tools that Chrome has too, by name
}

// Forget removes a tool that the server no longer has.
func (t *tools) Forget(name string) {
	t.Drop(name)
	delete(t.mirrored, name)
}

// CallEnded removes a tool that was kept only for the results of its calls, once the last result has come.
func (s *PageServer) CallEnded(name string) {
	if s.tools.CallEnded(name) {
		delete(s.mirrored, name)
		s.Tab.ReportTools()
	}
}

// readTools reads the server's list of tools.
func (s *PageServer) readTools(ctx context.Context) (take func(), err error) {
	list, err := s.client.ListTools(ctx)
	return func() { s.takeTools(list) }, err
}

func (s *PageServer) takeTools(list []pagemcp.Tool) {
	at, now := s.Where(), make(map[string]*registry.PageTool, len(list))
	for _, t := range list {
		tool := &registry.PageTool{
			Frame:        at.Frame,
			Doc:          s.Doc,
			FrameURL:     at.URL,
			Origin:       at.Origin,
			Runtime:      s.runtime(t),
			Name:         t.Name,
			Title:        t.Title,
			Description:  t.Description,
			InputSchema:  t.InputSchema,
			OutputSchema: t.OutputSchema,
			Annotations:  hints(t.Annotations),
		}
		if !s.adapter { // the adapter's _meta says only the runtime
			tool.Meta = t.Meta
		}
		now[t.Name] = tool
	}
	s.Take(s.Tab, at.Frame, s.Doc, now)
	maps.DeleteFunc(s.mirrored, func(name string, _ mirrored) bool { return s.Get(name) == nil })
}

// runtime says how the tool is reached. It believes the adapter's _meta, but not a page's.
func (s *PageServer) runtime(t pagemcp.Tool) offer.Runtime {
	if !s.adapter {
		return offer.MCPB
	}
	var meta map[string]any
	if json.Unmarshal(t.Meta, &meta) != nil {
		return offer.Polyfill
	}
	switch name, _ := meta[bridge.AdapterRuntimeKey].(string); offer.Runtime(name) {
	case offer.Form:
		return offer.Form
	case offer.DOM:
		return offer.DOM
	}
	return offer.Polyfill
}

// hints decodes the annotations that a page's server gives a tool.
func hints(raw json.RawMessage) offer.Annotations {
	var hints struct {
		ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint, Cache *bool
	}
	if json.Unmarshal(raw, &hints) != nil {
		return offer.Annotations{} // none, or not an object
	}
	return offer.Annotations{ReadOnly: hints.ReadOnlyHint, Destructive: hints.DestructiveHint,
		Idempotent: hints.IdempotentHint, OpenWorld: hints.OpenWorldHint, Cache: hints.Cache}
}

// Chrome's events lack the titles of tools, and those hints that only MCP has. If the page's own MCP server mirrors
// its tools to Chrome (@mcp-b/global), the server still reports them.

// mirrored is a tool that both Chrome and the page's own server report: as Chrome reports it, as the server reports
// it, and as the hub reports it.
type mirrored struct{ native, own, whole *registry.PageTool }

// Completed adds to a native tool what only the server of its own frame reports. The same two tools give the same
// pointer again. Completed leaves out the server's outputSchema. That schema describes the results of the server, and
// Chrome's results can differ; they would then become errors of tools that have run.
func (t *tools) Completed(native *registry.PageTool) *registry.PageTool {
	own := t.Get(native.Name)
	if own == nil || own.Description != native.Description { // the tool isn't mirrored, or is another one by now
		return native
	}
	m := t.mirrored[native.Name]
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
	if t.mirrored == nil {
		t.mirrored = map[string]mirrored{}
	}
	t.mirrored[native.Name] = mirrored{native, own, m.whole}
	return m.whole
}

// hintsOf merges the hints of Chrome and of the page's server. The hints about what the tool does (readOnly,
// destructive, idempotent) all come from the same source, because parts of two statements would make a third one that
// nobody made. They come from the server, which can give all of them, unless Chrome says that the tool only reads and
// the server says neither that nor that it is destructive.
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
