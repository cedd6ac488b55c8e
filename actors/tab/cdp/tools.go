package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/mcpb"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// tools are a server's, as last read.
type tools struct {
	tab.ToolList
	mirrored map[string]mirrored // those that Chrome has too
}

// Forget drops a tool that is no longer the server's.
func (t *tools) Forget(name string) {
	t.Drop(name)
	delete(t.mirrored, name)
}

// CallEnded takes away a tool that was kept only for its calls' results, the last of
// which is there.
func (s *PageServer) CallEnded(name string) {
	if s.tools.CallEnded(name) {
		delete(s.mirrored, name)
		s.Tab.Changed()
	}
}

// readTools reads the server's list of tools.
func (s *PageServer) readTools(ctx context.Context) (take func(), err error) {
	list, err := s.client.ListTools(ctx)
	return func() { s.takeTools(list) }, err
}

func (s *PageServer) takeTools(list []mcpb.Tool) {
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
		if !s.adapter { // whose _meta is for runtime
			tool.Meta = t.Meta
		}
		now[t.Name] = tool
	}
	s.Take(s.Tab, at.Frame, s.Doc, now)
	maps.DeleteFunc(s.mirrored, func(name string, _ mirrored) bool { return s.Get(name) == nil })
}

// runtime is how the tool is reached: the adapter's word counts, a page's
// doesn't.
func (s *PageServer) runtime(t mcpb.Tool) offer.Runtime {
	if !s.adapter {
		return offer.MCPB
	}
	var meta map[string]any
	if json.Unmarshal(t.Meta, &meta) != nil {
		return offer.Polyfill
	}
	switch said, _ := meta[bridge.AdapterRuntimeKey].(string); offer.Runtime(said) {
	case offer.Form:
		return offer.Form
	case offer.DOM:
		return offer.DOM
	}
	return offer.Polyfill
}

// hints are those that a page's server gives a tool.
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

// Chrome's events leave out the titles of tools, and of their hints those that are
// MCP's alone. Where the page's own MCP server mirrors its tools to Chrome
// (@mcp-b/global), it still tells them.

// mirrored is a tool that Chrome and the page's own server both tell of: as each
// of them does, and as it is reported.
type mirrored struct{ native, own, whole *registry.PageTool }

// Completed is a native tool with what only the server of its own frame tells of
// it. The same two give the same pointer again. The server's outputSchema is left
// out: it promises what the server makes of a result, and Chrome's results, which
// need not be the same, would be errors of tools that have run.
func (t *tools) Completed(native *registry.PageTool) *registry.PageTool {
	own := t.Get(native.Name)
	if own == nil || own.Description != native.Description { // not mirrored, or another tool by now
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
