package offer

import (
	"cmp"
	"encoding/json"
	"sync/atomic"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Rules say how a [Maker] makes what is published.
type Rules struct {
	Naming     Naming
	MaxName    int            // the longest name in bytes
	Origins    *names.Origins // which documents may offer anything; nil permits all
	Hints      HintPolicy
	TrustHints *names.Origins // with [HintsOfTrusted]; nil means none
	// Site returns the part of a host that its owner has registered, or "". If Site is nil, no parent of a host
	// counts as its owner's.
	Site func(host string) string
	// Pins says what a person has accepted; nil accepts all.
	Pins Pins
}

// Maker makes what clients see of pages' offers, and caches what is expensive to compute. It belongs to one
// goroutine.
type Maker struct {
	Rules
	cache sanitize.Cache
	owner func(origin string) (host, site string) // Rules.ownerOf, bound once
}

// NewMaker returns a Maker with these rules.
func NewMaker(r Rules) *Maker { return &Maker{Rules: r, owner: r.ownerOf} }

// clean returns the sanitized schemas and _meta of a tool whose document has that origin.
func (m *Maker) clean(t *PageTool, origin string) *sanitize.Tool {
	return m.cache.Tool(t.Name, sanitize.Raw{Input: t.InputSchema, Output: t.OutputSchema, Meta: t.Meta},
		m.keysOf(origin))
}

// Clean returns the sanitized schemas and _meta of a tool of the page.
func (p *Page) Clean(t *PageTool) *sanitize.Tool { return p.maker.clean(t, p.originOf(t.Document())) }

// keysOf says which keys of _meta pass between clients and a document with that origin.
func (m *Maker) keysOf(origin string) sanitize.MetaKeys {
	return sanitize.MetaKeys{Origin: origin, Owner: m.owner}
}

// ownerOf returns an origin's host, and the part of the host that somebody has registered.
func (r *Rules) ownerOf(origin string) (host, site string) {
	host = names.ParseAddress(origin).Host
	if r.Site == nil {
		return host, host
	}
	return host, r.Site(host)
}

// Page returns a Page for which m makes what is published.
func (m *Maker) Page(id PageID, tab TabID) Page {
	return Page{ID: id, Tab: tab, Origins: m.Origins, maker: m}
}

// Verdict returns the verdict on a tool of the page.
func (p *Page) Verdict(t *PageTool) PinCheck {
	if p.maker.Pins == nil {
		return PinCheck{}
	}
	return p.maker.Pins.Check(t, p.originOf(t.Document()), p.Origin)
}

// Withheld returns the record of a tool of the page that must not be published.
func (p *Page) Withheld(t *PageTool, v PinCheck) *Held {
	return &Held{t, p.originOf(t.Document()), v.Held()}
}

// Publish makes the hub tool of a page's tool. name is its name, plain the name that it would have if no other tool
// had taken that, and mark its [PinCheck.Mark].
func (p *Page) Publish(t *PageTool, clean *sanitize.Tool, name, plain, mark string) *HubTool {
	w := p.whose(t.Document())
	h := &HubTool{
		Name:           name,
		Description:    p.labels.prefix(p, w.foreign) + mark + sanitize.Description(t.Description),
		InputSchema:    clean.Input,
		ArgumentSchema: clean.Arguments,
		Meta:           p.labels.provenance(t, p, w),
		Structured:     clean.Output != nil,
		Route:          Route{p.ID, t.Frame, t.Doc, t.Runtime, t.Name},
		whose:          w,
		called:         called{domain: p.Domain, plain: plain, active: p.Active},
		registered:     registered{t, clean, p.maker.hintsOf(t, w.from, w.foreign == ""), p.maker.keysOf(w.from), mark},
		bare:           new(atomic.Pointer[HubTool]),
	}
	h.encode()
	return h
}

// encode makes MCP's Tool object.
func (t *HubTool) encode() {
	t.cost = new(atomic.Int64)
	t.Encoded = encodeTool(t.Name, sanitize.Text(t.source.Title, 256), t.Description, t.InputSchema, t.clean.Output,
		t.Annotations(), t.shownMeta())
}

// Cost returns what estimate returns for the Tool object. Callers must always pass the same estimate, because Cost
// calls it only once: at the first request, so that storms of changes don't pay for it.
func (t *HubTool) Cost(estimate func(encoded json.RawMessage) int) int {
	if t.cost == nil {
		return estimate(t.Encoded)
	}
	if n := t.cost.Load(); n > 0 {
		return int(n)
	}
	n := estimate(t.Encoded)
	t.cost.Store(int64(n))
	return n
}

// Named returns the tool under another name.
func (t *HubTool) Named(name string) *HubTool {
	n := *t
	n.Name = name
	n.encode()
	return &n
}

// Shorter returns the tool under a free name of at most max bytes, or nil if no name is free. If the tool has its
// plain name now, the new name is the one that a hub with that limit would give it. tab is the tool's tab, 0 for a
// tool of a site.
func (t *HubTool) Shorter(max int, tab TabID, free func(name string) bool) *HubTool {
	style, number := names.WebMCP, t.index
	if names.MCPB.Has(t.Name) {
		style, number = names.MCPB, int(tab)
	}
	if t.SiteTool != nil {
		number = names.NoNumber
	}
	other := func(attempt int) string { return style.Rename(t.domain, number, t.Route.Tool, t.Name, attempt, max) }
	plain := style.Plain(t.domain, number, t.Route.Tool, max)
	if t.Name != t.plain { // its name already differs, because another tool had the plain one
		plain = other(0)
	}
	name := names.First(plain, free, other)
	if name == "" {
		return nil
	}
	return t.Named(name)
}

// Bare returns the tool under its page's own name, as a client in focus mode sees it. Neither description nor _meta
// has the page's index, which changes when other tabs close. The tool caches the last result. Bare may be called from
// any goroutine.
func (t *HubTool) Bare(name string) *HubTool {
	if b := t.bare.Load(); b != nil && b.Name == name {
		return b
	}
	b := *t
	b.Name, b.plain, b.bare = name, name, nil
	b.Description = inBrowser(t.browser, "[WebMCP • "+t.host+
		"] ") + frameMark(t.foreign) + t.mark + sanitize.Description(t.source.Description)
	b.Meta = provenance{sanitize.Untrusted, t.from, sanitize.Text(t.source.FrameURL, 1024), nil, t.tab, t.Route.Runtime,
		t.browser}.meta()
	b.encode()
	t.bare.Store(&b)
	return &b
}

// Source returns the tool as its page registered it.
func (t *HubTool) Source() *PageTool { return t.source }

// Mark returns the [PinCheck.Mark] in its description.
func (t *HubTool) Mark() string { return t.mark }

// Clean returns its sanitized schemas and _meta.
func (t *HubTool) Clean() *sanitize.Tool { return t.clean }

// Plain returns the name that it would have if no other tool had taken that.
func (t *HubTool) Plain() string { return t.plain }

// PageIndex returns the index of its page in its name.
func (t *HubTool) PageIndex() int { return t.index }

// Origin returns the origin of the tool's document, as the browser reports it: it may be [names.OpaqueOrigin], and is
// "" if it is not known.
func (t *HubTool) Origin() string { return t.from }

// FrameOrigin returns Origin if the document is a frame's with another origin than its page's, "unknown" if nobody
// knows the origin, and "" for the page's own documents.
func (t *HubTool) FrameOrigin() string {
	if t.foreign == "" {
		return ""
	}
	return cmp.Or(t.from, "unknown")
}

// OfSite reports whether a tool belongs to the site of its tab. Frames of other sites may have tools in the tab, too.
func (t *HubTool) OfSite() bool { return t.foreign == "" }

// Destructive reports whether a second call could do harm. As in MCP, that is so unless the page says otherwise.
func (t *HubTool) Destructive() bool {
	a := t.hints.passed.mcp()
	return a == nil || !is(a.ReadOnly) && (a.Destructive == nil || *a.Destructive)
}

// encodeTool returns MCP's Tool object, as a list has it. The schemas, the annotations and meta are JSON texts
// without line breaks.
func encodeTool(name, title, description string, input, output, annotations, meta json.RawMessage) json.RawMessage {
	const names = `{"name":"","title":"","description":"","inputSchema":,"outputSchema":,"annotations":,"_meta":}`
	to := make([]byte, 0, len(names)+len(name)+len(title)+len(description)+len(input)+len(output)+len(annotations)+len(meta))
	to = appendMember(to, `{"name":`, name)
	if title != "" {
		to = appendMember(to, `,"title":`, title)
	}
	to = appendMember(to, `,"description":`, description)
	to = append(append(to, `,"inputSchema":`...), input...)
	if output != nil {
		to = append(append(to, `,"outputSchema":`...), output...)
	}
	if annotations != nil {
		to = append(append(to, `,"annotations":`...), annotations...)
	}
	to = append(append(to, `,"_meta":`...), meta...)
	return append(to, '}')
}

// appendMember appends name, which includes the preceding punctuation, and the member's value.
func appendMember(to []byte, name, value string) []byte {
	return sanitize.AppendJSON(append(to, name...), value)
}
