package registry

import (
	"encoding/json"
	"slices"
	"strings"
)

// MaxMeta is the longest _meta in bytes that is published of what a page says
// of its tool. A longer one is left out, the tool isn't.
const MaxMeta = 4 << 10

// launderMeta is what of a page's _meta may stand beside the hub's own: nothing
// under the hub's prefix or those that MCP reserves, on which clients act. It is
// one line, its members in order. Nil if nothing is left, or if raw is no
// object, longer than max bytes or nested deeper than schemas may be.
func launderMeta(raw json.RawMessage, max int) json.RawMessage {
	if len(raw) == 0 || len(raw) > max || nestedDeeper(raw, MaxSchemaDepth) {
		return nil
	}
	v, err := decodeAny(raw)
	members, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	for k := range members {
		if reservedMeta(k) {
			delete(members, k)
		}
	}
	if len(members) == 0 {
		return nil
	}
	return mustEncode(scrubbed(members))
}

// reservedMeta says whether a key of _meta is not a page's to set: the hub's,
// or one whose prefix MCP reserves. That is one whose second label is mcp or
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
// result's _meta, but for what is not a page's to set there. meta may be
// anything; what is no object changes nothing.
func WithPageMeta(r Result, meta json.RawMessage) Result {
	return WithMeta(r, launderMeta(meta, MaxResult))
}
