package registry

import (
	"sync/atomic"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// sanitized gives what comes of a tool's schemas and _meta.
func (s *State) sanitized(t *PageTool, k sanitize.MetaKeys) *sanitize.Tool {
	return s.sanitizeCache.Tool(t.Name, sanitize.Raw{Input: t.InputSchema, Output: t.OutputSchema, Meta: t.Meta}, k)
}

// keysOf says which keys of _meta pass between clients and a document of that
// origin.
func (o *Options) keysOf(origin string) sanitize.MetaKeys {
	return sanitize.MetaKeys{Origin: origin, Owner: o.owner}
}

// ownerBy gives an origin's host, and the part of that which somebody has registered,
// as Options.Site says.
func ownerBy(site func(host string) string) func(origin string) (host, site string) {
	return func(origin string) (string, string) {
		host := names.ParseAddress(origin).Host
		if site == nil {
			return host, host
		}
		return host, site(host)
	}
}

// newHubTool publishes t under name.
func newHubTool(t *PageTool, clean *sanitize.Tool, p *page, name, plain string) *HubTool {
	w := p.whose(t.document())
	h := &HubTool{
		Name:           name,
		Description:    p.labels.prefix(p, w.foreign) + sanitize.Description(t.Description),
		InputSchema:    clean.Input,
		ArgumentSchema: clean.Arguments,
		Meta:           p.labels.provenance(t, p, w),
		Structured:     clean.Output != nil,
		Route:          Route{p.id, t.Frame, t.Doc, t.Runtime, t.Name},
		whose:          w,
		called:         called{domain: p.domain, plain: plain, active: p.active},
		registered:     registered{t, clean, p.options.hintsOf(t, w.from, w.foreign == ""), p.options.keysOf(w.from)},
		bare:           new(atomic.Pointer[HubTool]),
	}
	h.encode()
	return h
}

// encode makes MCP's Tool object.
func (t *HubTool) encode() {
	t.Encoded = encodeTool(t.Name, sanitize.Text(t.source.Title, 256), t.Description, t.InputSchema, t.clean.Output, t.Annotations(), t.shownMeta())
}

// Bare is the tool under its page's own name, as a client in focus mode is shown it:
// neither description nor _meta has the page's index, which changes when other
// tabs close. The tool remembers the last one. Any goroutine may call it.
func (t *HubTool) Bare(name string) *HubTool {
	if b := t.bare.Load(); b != nil && b.Name == name {
		return b
	}
	b := *t
	b.Name, b.plain, b.bare = name, name, nil
	b.Description = "[WebMCP • " + t.host + "] " + frameMark(t.foreign) + sanitize.Description(t.source.Description)
	b.Meta = provenance{sanitize.Untrusted, t.from, sanitize.Text(t.source.FrameURL, 1024), nil, t.tab, t.Route.Runtime}.meta()
	b.encode()
	t.bare.Store(&b)
	return &b
}
