package sanitize

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// MetaKeys decides which keys of _meta pass between a document and clients, in both directions. Clients act on many
// of their own keys and of MCP's (what to draw, what to keep from the model, which trace a call belongs to), and
// other keys concern only the client and the hub. So only keys pass that mean something to the document alone: names
// without a prefix, and keys whose prefix is the document's own domain in reverse, such as com.example/ for
// shop.example.com.
type MetaKeys struct {
	Origin string // the document's
	// Owner returns an origin's host, and the part of it that somebody has registered. site is "" if there is none,
	// as for a public suffix.
	Owner func(origin string) (host, site string)
}

// extensionsKey is the key for MCP-B's extensions, see extlink/mcpbhub. No client acts on it.
const extensionsKey = "mcp-b/extensions"

// actedOn has names, in lower case, on which clients act even without a prefix. They count as whole names and as the
// part before a sign. They are those of MCP Apps, of MCP itself, of tracing (SEP-414), and of vendors.
var actedOn = map[string]bool{
	"ui": true, "mcp": true, "modelcontextprotocol": true, "progresstoken": true,
	"traceparent": true, "tracestate": true, "baggage": true,
	"anthropic": true, "claude": true, "claudecode": true, "codex": true, "copilot": true, "cursor": true,
	"chatgpt": true, "gemini": true, "openai": true, "vscode": true,
}

// pass reports whether a key passes.
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

// metaName reports whether name has the form that MCP requires in _meta.
func metaName(name string) bool {
	alphanumeric := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
	for i := range len(name) {
		if c := name[i]; !alphanumeric(c) && (i == 0 || i == len(name)-1 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return name != ""
}

// owns reports whether a prefix is the document's host in reverse, or a parent of the host that is no wider than what
// somebody has registered.
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

// reservedMeta reports whether no page may set a key of _meta, whatever its domain: the hub's own keys, and those
// whose prefix MCP reserves. A prefix is reserved if its second label is mcp or modelcontextprotocol, or, as until
// 2025-06-18, if such a label comes before another.
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

// Only returns the members of a _meta that pass; nil if there are none or meta is no object.
func (k MetaKeys) Only(meta json.RawMessage) json.RawMessage {
	var members fields
	if len(meta) == 0 || json.Unmarshal(meta, &members) != nil {
		return nil
	}
	for key := range members {
		if !k.pass(key) {
			delete(members, key)
		}
	}
	if len(members) == 0 {
		return nil
	}
	return Encode(members)
}

// traceParent matches a traceparent of version 00 (W3C Trace Context).
var traceParent = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// ToPage returns the part of a client's _meta that the document gets; nil if there is none. It keeps the members that
// pass and the traceparent of the request (SEP-414), so that a site's own spans can join the trace. tracestate and
// baggage don't pass, because they are meant for the client's side and may reveal something about its user.
func (k MetaKeys) ToPage(meta json.RawMessage) json.RawMessage {
	return WithTraceParent(k.Only(meta), TraceParent(meta))
}

// TraceParent returns the traceparent in a request's _meta, or "".
func TraceParent(meta json.RawMessage) string {
	var trace struct {
		TraceParent string `json:"traceparent"`
	}
	if !bytes.Contains(meta, []byte(`"traceparent"`)) || json.Unmarshal(meta, &trace) != nil ||
		!traceParent.MatchString(trace.TraceParent) {
		return ""
	}
	return trace.TraceParent
}

// WithTraceParent returns meta, which may be nil, with parent as its traceparent. If parent is "", it returns meta
// unchanged.
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

// WithoutTrace returns a result of [MetaKeys.ToPage] without the trace; nil if nothing else is left.
func WithoutTrace(meta json.RawMessage) json.RawMessage {
	var members fields
	if !bytes.Contains(meta, []byte(`"traceparent"`)) || json.Unmarshal(meta, &members) != nil {
		return meta
	}
	if delete(members, "traceparent"); len(members) == 0 {
		return nil
	}
	return Encode(members)
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

// Block filters the _meta of a content block, and of a resource in it.
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

// Result removes from the result of a tool's page what the page may not tell clients. It also makes deceptive
// characters in strings visible, and rewrites numbers that some clients can't parse.
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

// mayHaveMeta is a quick check; an escape could hide the name.
func mayHaveMeta(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`_meta"`)) || bytes.Contains(raw, []byte(`\u00`))
}
