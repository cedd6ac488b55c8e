package registry

import (
	"encoding/json"
	"slices"
	"strconv"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// publish gives what all pages offer now, in their order. What did not change
// keeps its pointers.
func (o *Offers) publish() (pages []*PageOffers) {
	taken := map[string]bool{}
	for place, tab := range o.tabs.Tabs() {
		p := o.published(place, tab)
		if p == nil || len(p.resources)+len(p.prompts) == 0 {
			continue
		}
		was := o.catalog.of(tab.Page)
		n := &PageOffers{Page: tab.Page, from: madeFrom{p.version, tab.Index, tab.ID, tab.URL, tab.Origin}}
		if was != nil && was.from == n.from && was.take(taken) {
			pages = append(pages, was)
			continue
		}
		o.publishResources(n, was, p, tab)
		o.publishPrompts(n, was, p, tab, taken)
		if was != nil && slices.Equal(was.Resources, n.Resources) && slices.Equal(was.Templates, n.Templates) && slices.Equal(was.Prompts, n.Prompts) {
			n = was
		}
		pages = append(pages, n)
	}
	return pages
}

// take marks the names of the page's prompts as taken, or none if one is.
func (p *PageOffers) take(taken map[string]bool) bool {
	if slices.ContainsFunc(p.Prompts, func(t *HubPrompt) bool { return taken[t.Name] }) {
		return false
	}
	for _, t := range p.Prompts {
		taken[t.Name] = true
	}
	return true
}

func (o *Offers) publishResources(n, was *PageOffers, p *offered, tab *Tab) {
	known := map[*PageResource]*HubResource{}
	for _, r := range slices.Concat(was.resources(), was.templates()) {
		known[r.source] = r
	}
	host, ranks := names.PageHost(tab.URL, tab.Origin), map[string]int{}
	for _, r := range p.resources {
		from, ok := o.document(tab, r.Doc, r.Origin, r.FrameURL)
		if !ok {
			continue
		}
		// Templates and resources share no URI: only templates have braces.
		var parts names.Template
		if r.Template {
			parts = names.ParseTemplate(r.URI)
		}
		uri := names.URIPrefix(host, tab.Index, ranks[r.URI]) + hubPath(r.URI, parts)
		ranks[r.URI]++
		meta := offerMeta(r.FrameURL, from, tab)
		h := known[r]
		if h == nil || h.URI != uri || string(h.Meta) != string(meta) {
			h = &HubResource{URI: uri, Original: r.URI, Template: r.Template, Server: ServerRef{tab.Page, r.Frame, r.Doc},
				Meta: meta, origin: tab.Origin, from: from, foreign: names.Foreign(from, tab.Origin, r.Doc == tab.gen), host: host, index: tab.Index, source: r, parts: parts}
			h.Encoded = h.encode()
		}
		if r.Template {
			n.Templates = append(n.Templates, h)
		} else {
			n.Resources = append(n.Resources, h)
		}
	}
}

func (o *Offers) publishPrompts(n, was *PageOffers, p *offered, tab *Tab, taken map[string]bool) {
	known := map[*PagePrompt]*HubPrompt{}
	for _, t := range was.prompts() {
		known[t.source] = t
	}
	domain, host, ranks := names.ExtractDomain(tab.URL), names.PageHost(tab.URL, tab.Origin), map[FrameID]int{}
	for _, t := range p.prompts {
		from, ok := o.document(tab, t.Doc, t.Origin, t.FrameURL)
		if !ok {
			continue
		}
		if _, seen := ranks[t.Frame]; !seen {
			ranks[t.Frame] = len(ranks)
		}
		name := names.ToolName(domain, tab.Index, t.Name, o.options.MaxName)
		name = names.First(name, func(name string) bool { return !taken[name] }, func(attempt int) string {
			return names.WebMCP.Distinct(domain, tab.Index, t.Name, strconv.Itoa(ranks[t.Frame])+"\x00"+t.Name, attempt, o.options.MaxName)
		})
		if name == "" {
			continue // a page that works at clashing hashes loses this prompt
		}
		taken[name] = true
		meta := offerMeta(t.FrameURL, from, tab)
		h := known[t]
		if h == nil || h.Name != name || string(h.Meta) != string(meta) {
			h = &HubPrompt{Name: name, Original: t.Name, Server: ServerRef{tab.Page, t.Frame, t.Doc},
				Meta: meta, keys: o.options.keysOf(from), origin: tab.Origin, from: from, foreign: names.Foreign(from, tab.Origin, t.Doc == tab.gen), host: host, index: tab.Index, source: t}
			h.Encoded = h.encode()
		}
		n.Prompts = append(n.Prompts, h)
	}
}

// hubPath is a resource's URI or URI template, but for its prefix.
func hubPath(uri string, parts names.Template) string {
	if parts == nil {
		return names.EncodeURI(uri)
	}
	return parts.Encoded()
}

// document gives the origin of a document of a tab, and whether that may offer
// anything.
func (o *Offers) document(tab *Tab, doc Gen, said, address string) (origin string, ok bool) {
	if said == "" && doc == tab.gen && !names.HasHost(address) {
		return tab.Origin, true // the page's own, which is known to be permitted
	}
	return names.DocumentOrigin(said, address), o.options.Origins.DocumentRefusal(said, address, doc == tab.gen) == ""
}

// offerMeta is the _meta of what a page's MCP server offers.
func offerMeta(frameURL, origin string, tab *Tab) json.RawMessage {
	return sanitize.Encode(map[string]source{sanitize.ProvenanceKey: {
		Trust:    sanitize.Untrusted,
		Origin:   origin,
		FrameURL: sanitize.Text(frameURL, 1024),
		Page:     tab.Index,
		Tab:      tab.ID,
		Runtime:  MCPB,
	}})
}

// encode makes MCP's Resource or ResourceTemplate object.
func (h *HubResource) encode() json.RawMessage {
	s := h.source
	e := struct {
		URI         string          `json:"uri,omitempty"`
		URITemplate string          `json:"uriTemplate,omitempty"`
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description"`
		MIMEType    string          `json:"mimeType,omitempty"`
		Size        *int64          `json:"size,omitempty"`
		Annotations json.RawMessage `json:"annotations,omitempty"`
		Meta        json.RawMessage `json:"_meta"`
	}{
		Name:        sanitize.Text(s.Name, 256),
		Title:       sanitize.Text(s.Title, 256),
		Description: names.PagePrefix(h.host, h.index) + frameMark(h.foreign) + sanitize.Description(s.Description),
		MIMEType:    sanitize.Text(s.MIMEType, 128),
		Annotations: sanitize.Annotations(s.Annotations),
		Meta:        h.Meta,
	}
	if e.Name == "" {
		e.Name = sanitize.Text(s.URI, 256)
	}
	if h.Template {
		e.URITemplate = h.URI
	} else {
		e.URI = h.URI
		var size int64
		if len(s.Size) > 0 && json.Unmarshal(s.Size, &size) == nil && size >= 0 {
			e.Size = &size
		}
	}
	return sanitize.Encode(e)
}

// encode makes MCP's Prompt object.
func (h *HubPrompt) encode() json.RawMessage {
	s := h.source
	arguments := make([]PromptArgument, len(s.Arguments))
	for i, a := range s.Arguments {
		arguments[i] = PromptArgument{a.Name, sanitize.Text(a.Title, 256), sanitize.Text(a.Description, 1024), a.Required}
	}
	return sanitize.Encode(struct {
		Name        string           `json:"name"`
		Title       string           `json:"title,omitempty"`
		Description string           `json:"description"`
		Arguments   []PromptArgument `json:"arguments,omitempty"`
		Meta        json.RawMessage  `json:"_meta"`
	}{h.Name, sanitize.Text(s.Title, 256), names.PagePrefix(h.host, h.index) + frameMark(h.foreign) + sanitize.Description(s.Description), arguments, h.Meta})
}
