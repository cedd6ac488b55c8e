package offer

import (
	"encoding/json"
	"webmcphub/registry/sanitize"
)

// HintPolicy says which documents' claims that a tool is harmless reach clients as MCP's annotations. Some clients
// don't ask their user about a tool that claims to be read-only.
type HintPolicy string

const (
	// HintsOfOwn passes on the claims of documents with the page's own origin, but not those of frames from
	// elsewhere. It is the default.
	HintsOfOwn HintPolicy = "own"
	// HintsOfAll passes on the claims of all documents.
	HintsOfAll HintPolicy = "all"
	// HintsOfTrusted passes on the claims of the origins in [Rules.TrustHints].
	HintsOfTrusted HintPolicy = "trusted"
	// HintsOfNone passes on no claims.
	HintsOfNone HintPolicy = "none"
)

// hints are a tool's annotations: those that clients get, and those that its page claims and the hub withholds from
// clients.
type hints struct{ passed, withheld Annotations }

func (h hints) same(o hints) bool { return h.passed.same(o.passed) && h.withheld.same(o.withheld) }

// hintsOf decides which of a tool's annotations clients get. A page may always make its tool look more dangerous than
// a tool without annotations. origin is the origin of the tool's document. own says that it is the page's.
func (r *Rules) hintsOf(t *PageTool, origin string, own bool) hints {
	believed := false
	switch r.Hints {
	case HintsOfAll:
		believed = true
	case HintsOfTrusted:
		believed = r.TrustHints != nil && r.TrustHints.Permits(origin)
	case HintsOfNone:
	default:
		believed = own
	}
	// The hub itself annotates the tools that it makes of a page.
	if believed || t.Runtime == DOM {
		return hints{passed: t.Annotations}
	}
	return t.Annotations.split()
}

// split withholds the annotations that make a tool look more harmless than MCP assumes without annotations, and
// passes the rest.
func (a Annotations) split() (h hints) {
	h.passed = a
	for _, claim := range []struct {
		from, to **bool
		harmless bool
	}{
		{&h.passed.ReadOnly, &h.withheld.ReadOnly, true},
		{&h.passed.Destructive, &h.withheld.Destructive, false},
		{&h.passed.Idempotent, &h.withheld.Idempotent, true},
		{&h.passed.OpenWorld, &h.withheld.OpenWorld, false},
	} {
		if *claim.from != nil && **claim.from == claim.harmless {
			*claim.to, *claim.from = *claim.from, nil
		}
	}
	return h
}

// mcpAnnotations is MCP's ToolAnnotations object.
type mcpAnnotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
	Cache       *bool `json:"cache,omitempty"` // MCP-B's
}

// mcp maps a page's hints to MCP's. A consequential tool is one that a user would want to be asked about, which is
// how clients use destructiveHint. Untrusted content comes from an open world. If a page contradicts itself, the more
// dangerous hint counts.
func (a Annotations) mcp() *mcpAnnotations {
	m := mcpAnnotations{a.ReadOnly, a.Destructive, a.Idempotent, a.OpenWorld, a.Cache}
	if is(a.Consequential) {
		m.Destructive = a.Consequential
	}
	if is(a.Untrusted) {
		m.OpenWorld = a.Untrusted
	}
	if is(m.Destructive) && is(m.ReadOnly) {
		m.ReadOnly = nil
	}
	if m == (mcpAnnotations{}) {
		return nil
	}
	return &m
}

func is(hint *bool) bool { return hint != nil && *hint }

// encode returns MCP's ToolAnnotations object, or nil if there is nothing to say.
func (a Annotations) encode() json.RawMessage {
	m := a.mcp()
	if m == nil {
		return nil
	}
	return sanitize.Encode(m)
}

// Annotations returns MCP's ToolAnnotations object as published: what the page says about the tool and the hub passes
// on ([HintPolicy]); nil if that is nothing.
func (t *HubTool) Annotations() json.RawMessage { return t.hints.passed.encode() }

// ClaimedAnnotations returns a ToolAnnotations object of what the page claims about the tool and the hub withholds
// from clients' annotations; nil if that is nothing.
func (t *HubTool) ClaimedAnnotations() json.RawMessage { return t.hints.withheld.encode() }
