package sanitize

import (
	"bytes"
	"encoding/json"
	"maps"
)

// ProvenanceKey is the key in _meta under which pages' tools and results say where they come from.
const ProvenanceKey = "webmcp-hub/provenance"

// RequestNameKey is the key in _meta by which a page names its request to an agent. In protocol 2026-07-28 the
// request has that name among the inputRequests.
const RequestNameKey = "webmcp-hub/name"

// PeekKey is the key in _meta of a request for a list. If its value is true, the client doesn't count as having read
// the answer: somebody else only looks at the list.
const PeekKey = "webmcp-hub/peek"

// Untrusted is the trust value in the provenance of everything that pages say.
const Untrusted = "[untrusted page content]"

// MaxMeta is the longest _meta of a tool's page, in bytes, that is published. A longer one is left out, but the tool
// stays.
const MaxMeta = 4 << 10

// cleanMeta returns the members of a page's _meta that pass, on one line and in order. It returns nil if none is
// left, or if raw is no object, is longer than max bytes, or is nested deeper than schemas may be.
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

// WithPageMeta adds what a page says about its result to the result's _meta, without keys that no page may set. meta
// may be anything; if it is no object, nothing changes. [MetaKeys.Result] then leaves what this page may set.
func WithPageMeta(r Result, meta json.RawMessage) Result {
	return WithMeta(r, cleanMeta(meta, MaxResult, func(key string) bool { return !reservedMeta(key) }))
}

// WithMeta adds the members of meta, an object, to a result's _meta. They replace the page's own members of the same
// names.
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
	maps.Copy(have, add)
	result["_meta"] = Encode(have)
	r.JSON = Encode(result)
	return r
}
