package registry

import "encoding/json"

// MaxMeta is the longest _meta in bytes that is published of what a page says
// of its tool. A longer one is left out, the tool isn't.
const MaxMeta = 4 << 10

// launderMeta is what of a page's _meta may stand beside the hub's own: what
// passes. It is one line, its members in order. Nil if nothing is left, or if raw is no
// object, longer than max bytes or nested deeper than schemas may be.
func launderMeta(raw json.RawMessage, max int, passes func(key string) bool) json.RawMessage {
	if len(raw) == 0 || len(raw) > max || nestedDeeper(raw, MaxSchemaDepth) {
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
	return mustEncode(new(scrubber).of(members, plainData))
}

// shownMeta is the _meta in Encoded: where the tool comes from, and what its
// page says besides.
func (t *HubTool) shownMeta() json.RawMessage {
	own := t.laundered.meta
	if own == nil {
		return t.Meta
	}
	out := make([]byte, 0, len(t.Meta)+len(own))
	out = append(append(out, t.Meta[:len(t.Meta)-1]...), ',')
	return append(out, own[1:]...)
}

// WithPageMeta puts what a page says of its result beside it into the
// result's _meta, but for what is no page's to set there. meta may be
// anything; what is no object changes nothing. [HubTool.CleanResult] leaves what
// this page may set.
func WithPageMeta(r Result, meta json.RawMessage) Result {
	return WithMeta(r, launderMeta(meta, MaxResult, func(key string) bool { return !reservedMeta(key) }))
}
