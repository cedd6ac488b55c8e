package registry

import (
	"bytes"
	"encoding/json"
)

// ProvenanceKey is the key in _meta under which tools and results of pages
// say where they come from.
const ProvenanceKey = "webmcp-hub/provenance"

// Untrusted is what provenance says of everything that pages say.
const Untrusted = "[untrusted page content]"

// source is the value of [ProvenanceKey].
type source struct {
	Trust    string  `json:"trust"`
	Origin   string  `json:"origin"`
	FrameURL string  `json:"frameUrl"`
	Page     int     `json:"page"`
	Tab      TabID   `json:"tabId"`
	Runtime  Runtime `json:"runtime"`
}

func provenance(t *PageTool, p *page) json.RawMessage {
	return mustEncode(map[string]source{ProvenanceKey: {
		Trust:    Untrusted,
		Origin:   p.originOf(t),
		FrameURL: CleanText(t.FrameURL, 1024),
		Page:     p.index,
		Tab:      p.tab,
		Runtime:  t.Runtime,
	}})
}

// WithMeta puts meta, an object, into a result's _meta. The page's own
// entries stay, but for those that meta has too.
func WithMeta(r Result, meta json.RawMessage) Result {
	if len(meta) == 0 {
		return r
	}
	if !bytes.Contains(r.JSON, []byte(`"_meta"`)) {
		if rest, ok := bytes.CutSuffix(bytes.TrimSpace(r.JSON), []byte("}")); ok && len(rest) > 1 {
			out := make([]byte, 0, len(rest)+len(meta)+len(`,"_meta":}`))
			out = append(append(append(out, rest...), `,"_meta":`...), meta...)
			r.JSON = append(out, '}')
		}
		return r
	}
	var result, have, add fields
	if json.Unmarshal(r.JSON, &result) != nil || json.Unmarshal(meta, &add) != nil {
		return r
	}
	if json.Unmarshal(result["_meta"], &have) != nil || have == nil {
		have = fields{}
	}
	for k, v := range add {
		have[k] = v
	}
	result["_meta"] = mustEncode(have)
	r.JSON = mustEncode(result)
	return r
}

// ResultMeta is the _meta of a result of the tool: its own, with the address that
// the document had when it answered.
func (t *HubTool) ResultMeta(r Result) json.RawMessage {
	if r.FrameURL == "" || t.source == nil || r.FrameURL == t.source.FrameURL {
		return t.Meta
	}
	var meta map[string]fields
	if json.Unmarshal(t.Meta, &meta) != nil || meta[ProvenanceKey] == nil {
		return t.Meta
	}
	meta[ProvenanceKey]["frameUrl"] = mustEncode(CleanText(r.FrameURL, 1024))
	return mustEncode(meta)
}
