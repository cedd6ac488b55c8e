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

// owner gives an origin's host, and the part of that which somebody has
// registered.
func (o *Options) owner(origin string) (host, site string) {
	host = names.ParseAddress(origin).Host
	if o.Site == nil {
		return host, host
	}
	return host, o.Site(host)
}

// newHubTool publishes t under name.
func newHubTool(t *PageTool, l *sanitize.Tool, p *page, name, plain string) *HubTool {
	h := &HubTool{
		Name:           name,
		Description:    p.labels.prefix(t, p) + sanitize.Description(t.Description),
		InputSchema:    l.Input,
		ArgumentSchema: l.Arguments,
		Meta:           p.labels.provenance(t, p),
		Structured:     l.Output != nil,
		Route:          Route{p.id, t.Frame, t.Doc, t.Runtime, t.Name},
		domain:         p.domain,
		host:           p.host,
		origin:         p.origin,
		from:           p.originOf(t),
		foreign:        p.foreign(t),
		index:          p.index,
		active:         p.active,
		plain:          plain,
		source:         t,
		bare:           new(atomic.Pointer[HubTool]),
		clean:          l,
		hints:          p.hintsOf(t),
		keys:           p.keysOf(t),
	}
	h.encode()
	return h
}

// encode makes MCP's Tool object.
func (t *HubTool) encode() {
	t.Encoded = encodeTool(t.Name, sanitize.Text(t.source.Title, 256), t.Description, t.InputSchema, t.clean.Output, t.Annotations(), t.shownMeta())
}
