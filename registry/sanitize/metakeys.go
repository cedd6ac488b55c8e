package sanitize

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// metaKeys decides which keys of _meta pass between a document and clients, in
// both directions. Clients act on many keys of theirs and of MCP's (what to
// draw, what to keep from the model, whose trace a call belongs to), and say in
// others what is between them and the hub. So those pass that mean something to
// the document alone: names without a prefix, and prefixes that are the
// document's own domain in reverse, such as com.example/ of shop.example.com.
type MetaKeys struct {
	Origin string // the document's
	// owner gives an origin's host and the part of that which somebody has
	// registered: site is "" if there is none, as of a public suffix.
	Owner func(origin string) (host, site string)
}

// extensionsKey is what MCP-B's extensions come under, see extlink/mcpbhub. No
// client acts on it.
const extensionsKey = "mcp-b/extensions"

// actedOn are the names, or what they begin with before a sign, on which
// clients are known to act also without a prefix, in lower case: MCP Apps',
// MCP's own, those of tracing (SEP-414), and vendors'.
var actedOn = map[string]bool{
	"ui": true, "mcp": true, "modelcontextprotocol": true, "progresstoken": true,
	"traceparent": true, "tracestate": true, "baggage": true,
	"anthropic": true, "claude": true, "claudecode": true, "codex": true, "copilot": true, "cursor": true,
	"chatgpt": true, "gemini": true, "openai": true, "vscode": true,
}

// pass says whether a key passes.
func (k MetaKeys) pass(key string) bool {
	prefix, name, prefixed := strings.Cut(key, "/")
	switch {
	case key == extensionsKey:
		return true
	case reservedMeta(key):
		return false
	case prefixed:
		return metaName(name) && k.owns(prefix)
	}
	first, _, _ := strings.Cut(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return '.'
		}
		return r
	}, strings.ToLower(key)), ".")
	return metaName(key) && !actedOn[first]
}

// metaName says whether it is a name as MCP has them in _meta.
func metaName(name string) bool {
	alphanumeric := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
	for i := range len(name) {
		if c := name[i]; !alphanumeric(c) && (i == 0 || i == len(name)-1 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return name != ""
}

// owns says whether a prefix is the reverse of the document's host, or of a
// parent of it that is no wider than what somebody has registered.
func (k MetaKeys) owns(prefix string) bool {
	labels := strings.Split(strings.ToLower(prefix), ".")
	slices.Reverse(labels)
	domain := strings.Join(labels, ".")
	host, site := k.Owner(k.Origin)
	if _, err := netip.ParseAddr(host); err == nil || len(labels) < 2 || host == "" {
		return false
	}
	within := func(host, domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }
	return site != "" && within(host, domain) && within(domain, site)
}

// reservedMeta says whether a key of _meta is not a page's to set, whatever its
// domain: the hub's, or one whose prefix MCP reserves. That is one whose second label is mcp or
// modelcontextprotocol, and until 2025-06-18 one with such a label before another.
func reservedMeta(key string) bool {
	prefix, _, has := strings.Cut(key, "/")
	if !has {
		return false
	}
	labels := strings.Split(strings.ToLower(prefix), ".")
	for i, l := range labels {
		if (l == "mcp" || l == "modelcontextprotocol") && (i < 2 || i < len(labels)-1) {
			return true
		}
	}
	return slices.Equal(labels, []string{"webmcp-hub"})
}

// only gives the members of a _meta that pass, nil if there are none or it is
// no object.
func (k MetaKeys) Only(meta json.RawMessage) json.RawMessage {
	var said fields
	if len(meta) == 0 || json.Unmarshal(meta, &said) != nil {
		return nil
	}
	for key := range said {
		if !k.pass(key) {
			delete(said, key)
		}
	}
	if len(said) == 0 {
		return nil
	}
	return Encode(said)
}

// traceParent is a trace context's traceparent of version 00 (W3C Trace Context).
var traceParent = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// ToPage gives what a client's _meta says to the document, nil if that is nothing:
// the members that pass, and the trace that the request belongs to (SEP-414), so that
// a site's own spans join it. Of that only ids pass: tracestate and baggage are
// written for the client's own side, and may tell of its user.
func (k MetaKeys) ToPage(meta json.RawMessage) json.RawMessage {
	return WithTraceParent(k.Only(meta), TraceParent(meta))
}

// TraceParent is the traceparent that a request's _meta names, or "".
func TraceParent(meta json.RawMessage) string {
	var said struct {
		TraceParent string `json:"traceparent"`
	}
	if !bytes.Contains(meta, []byte(`"traceparent"`)) || json.Unmarshal(meta, &said) != nil ||
		!traceParent.MatchString(said.TraceParent) {
		return ""
	}
	return said.TraceParent
}

// WithTraceParent is _meta, which may be nil, with parent as its traceparent. A parent of "" leaves
// it as it is.
func WithTraceParent(meta json.RawMessage, parent string) json.RawMessage {
	if parent == "" {
		return meta
	}
	with := fields{}
	if meta != nil && json.Unmarshal(meta, &with) != nil {
		return meta
	}
	with["traceparent"] = Encode(parent)
	return Encode(with)
}

// WithoutTrace is what [MetaKeys.ToPage] gave but for the trace, nil if that is nothing.
func WithoutTrace(meta json.RawMessage) json.RawMessage {
	var said fields
	if !bytes.Contains(meta, []byte(`"traceparent"`)) || json.Unmarshal(meta, &said) != nil {
		return meta
	}
	if delete(said, "traceparent"); len(said) == 0 {
		return nil
	}
	return Encode(said)
}

// clean filters an object's own _meta in place.
func (k MetaKeys) clean(f fields) {
	meta, has := f["_meta"]
	if !has {
		return
	}
	if meta = k.Only(meta); meta == nil {
		delete(f, "_meta")
		return
	}
	f["_meta"] = meta
}

// cleanBlock filters the _meta of a content block, and of a resource in it.
func (k MetaKeys) Block(block json.RawMessage) json.RawMessage {
	if !mayHaveMeta(block) {
		return block
	}
	var b, inner fields
	if json.Unmarshal(block, &b) != nil || b == nil {
		return block
	}
	k.clean(b)
	if isObject(b["resource"]) && json.Unmarshal(b["resource"], &inner) == nil {
		k.clean(inner)
		b["resource"] = Encode(inner)
	}
	return Encode(b)
}

// cleanResult makes the result that a tool's page gave one that says nothing to
// clients but what the page may say, in strings that show what is in them and
// numbers that every client can parse.
func (k MetaKeys) Result(r Result) Result {
	r.JSON = visibleJSON(r.JSON)
	if !mayHaveMeta(r.JSON) {
		return r
	}
	var f fields
	var blocks []json.RawMessage
	if json.Unmarshal(r.JSON, &f) != nil || f == nil {
		return r
	}
	k.clean(f)
	if json.Unmarshal(f["content"], &blocks) == nil && blocks != nil {
		for i, b := range blocks {
			blocks[i] = k.Block(b)
		}
		f["content"] = Encode(blocks)
	}
	r.JSON = Encode(f)
	return r
}

// mayHaveMeta is a quick look; an escape could hide a name.
func mayHaveMeta(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`_meta"`)) || bytes.Contains(raw, []byte(`\u00`))
}
