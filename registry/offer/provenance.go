package offer

import (
	"encoding/json"
	"webmcphub/registry/sanitize"
)

// provenance is the value of [sanitize.ProvenanceKey].
type provenance struct {
	Trust    string  `json:"trust"`
	Origin   string  `json:"origin"`
	FrameURL string  `json:"frameUrl"`
	Page     *int    `json:"page,omitempty"` // nil where the page's number means nothing, see HubTool.Bare
	Tab      TabID   `json:"tabId"`
	Runtime  Runtime `json:"runtime"`
	Browser  string  `json:"browser,omitempty"` // the browser's name, if there are several
}

// newProvenance returns the _meta that says which document offers something, and by which runtime.
func newProvenance(d DocumentInfo, w whose, by Runtime) json.RawMessage {
	return provenance{sanitize.Untrusted, w.from, sanitize.Text(d.URL, 1024), &w.index, w.tab, by, w.browser}.meta()
}

func (p provenance) meta() json.RawMessage {
	return sanitize.Encode(map[string]provenance{sanitize.ProvenanceKey: p})
}

// ResultMeta returns the _meta for a result of the tool: the tool's own, but with the address that the document had
// when it answered.
func (t *HubTool) ResultMeta(r sanitize.Result) json.RawMessage {
	if r.FrameURL == "" || t.source == nil || r.FrameURL == t.source.FrameURL {
		return t.Meta
	}
	var meta map[string]map[string]json.RawMessage
	if json.Unmarshal(t.Meta, &meta) != nil || meta[sanitize.ProvenanceKey] == nil {
		return t.Meta
	}
	meta[sanitize.ProvenanceKey]["frameUrl"] = sanitize.Encode(sanitize.Text(r.FrameURL, 1024))
	return sanitize.Encode(meta)
}

// MetaForPage returns the part of a call's _meta that is meant for the tool's page, or nil.
func (t *HubTool) MetaForPage(meta json.RawMessage) json.RawMessage { return t.keys.ToPage(meta) }

// CleanResult removes from a result of the tool's page what the page may not tell clients.
func (t *HubTool) CleanResult(r sanitize.Result) sanitize.Result { return t.keys.Result(r) }

// PageArguments translates arguments that an agent gave by the published schema to the names that the page uses. args
// is a JSON object.
func (t *HubTool) PageArguments(args json.RawMessage) json.RawMessage {
	if t.clean == nil {
		return args
	}
	return t.clean.PageArguments(args)
}

// shownMeta returns the _meta in Encoded: where the tool comes from, and what its page adds.
func (t *HubTool) shownMeta() json.RawMessage {
	own := t.clean.Meta
	if own == nil {
		return t.Meta
	}
	out := make([]byte, 0, len(t.Meta)+len(own))
	out = append(append(out, t.Meta[:len(t.Meta)-1]...), ',')
	return append(out, own[1:]...)
}

// labels has the texts that tools of one page share: the beginning of their descriptions, and where they come from.
// Each text is made again when its inputs change. labels belongs to its page.
type labels struct {
	host   string
	index  int
	active bool
	start  string // of descriptions of the page's own tools

	foreign string
	framed  string // the start for a frame's tools

	of   labelled
	meta json.RawMessage
}

// labelled has the inputs of a tool's provenance, besides its tab.
type labelled struct {
	frameURL, origin string
	runtime          Runtime
	index            int
}

// prefix returns the beginning of a tool's description: the page, and the origin of the tool's document if it is
// foreign.
func (l *labels) prefix(p *Page, foreign string) string {
	if l.start == "" || l.host != p.Host || l.index != p.Index || l.active != p.Active {
		l.host, l.index, l.active, l.start, l.framed = p.Host, p.Index, p.Active, p.descriptionPrefix(), ""
	}
	if foreign == "" {
		return l.start
	}
	if l.framed == "" || l.foreign != foreign {
		l.foreign, l.framed = foreign, l.start+frameMark(foreign)
	}
	return l.framed
}

// frameMark returns the part of a description that says that a tool, resource or prompt belongs to a frame with
// another origin than the page's; "" for the page's own.
func frameMark(foreign string) string {
	if foreign == "" {
		return ""
	}
	return "[frame of " + foreign + "] "
}

func (l *labels) provenance(t *PageTool, p *Page, w whose) json.RawMessage {
	of := labelled{t.FrameURL, w.from, t.Runtime, p.Index}
	if l.meta == nil || l.of != of {
		l.of, l.meta = of, newProvenance(t.Document(), w, t.Runtime)
	}
	return l.meta
}
