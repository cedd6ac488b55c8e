package sanitize

import (
	"bytes"
	"encoding/json"
)

// ProvenanceKey is the key in _meta under which tools and results of pages
// say where they come from.
const ProvenanceKey = "webmcp-hub/provenance"

// RequestNameKey is the key in _meta by which a page names what it asks of an agent. In protocol 2026-07-28 the question
// has that name among the inputRequests.
const RequestNameKey = "webmcp-hub/name"

// PeekKey is the key in _meta by which a request for a list says, if its value is true, that
// the client doesn't read the answer: the list is for somebody who only looks on.
const PeekKey = "webmcp-hub/peek"

// Untrusted is what provenance says of everything that pages say.
const Untrusted = "[untrusted page content]"

// MaxMeta is the longest _meta in bytes that is published of what a page says
// of its tool. A longer one is left out, the tool isn't.
const MaxMeta = 4 << 10

// cleanMeta is what of a page's _meta may stand beside the hub's own: what
// passes. It is one line, its members in order. Nil if nothing is left, or if raw is no
// object, longer than max bytes or nested deeper than schemas may be.
func cleanMeta(raw json.RawMessage, max int, passes func(key string) bool) json.RawMessage {
	if len(raw) == 0 || len(raw) > max || NestedDeeper(raw, MaxSchemaDepth) {
		return nil
	}
	v, err := decodeAny(raw)
	members, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	for k := range members {
		if !passes(k) {
			delete(members, k)
		}
	}
	if len(members) == 0 {
		return nil
	}
	return Encode(new(scrubber).of(members, plainData))
}

// WithPageMeta puts what a page says of its result beside it into the
// result's _meta, but for what is no page's to set there. meta may be
// anything; what is no object changes nothing. [metaKeys.cleanResult] leaves what
// this page may set.
func WithPageMeta(r Result, meta json.RawMessage) Result {
	return WithMeta(r, cleanMeta(meta, MaxResult, func(key string) bool { return !reservedMeta(key) }))
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
	result["_meta"] = Encode(have)
	r.JSON = Encode(result)
	return r
}
