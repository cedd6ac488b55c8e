package sanitize

import (
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// target returns the subschema of this schema that a $ref names, or nil if there is none. The hub never fetches
// anything for a page's schema.
func (m *mender) target(ref string) map[string]any {
	fragment, local := strings.CutPrefix(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	if !local || err != nil {
		return nil
	}
	if fragment == "" {
		return m.root
	}
	if !strings.HasPrefix(fragment, "/") {
		return m.anchors[fragment]
	}
	var at any = m.root
	for step := range strings.SplitSeq(fragment[1:], "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	found, _ := at.(map[string]any)
	return found
}

// dropDeadRefs deletes each $ref that leads nowhere. It returns whether there was one.
func (m *mender) dropDeadRefs(s map[string]any) (changed bool) {
	if ref, ok := s["$ref"].(string); ok && m.target(ref) == nil {
		delete(s, "$ref")
		changed = true
	}
	below(s, func(sub map[string]any) { changed = m.dropDeadRefs(sub) || changed })
	return changed
}

// extent is the size of a schema after its $refs are followed.
type extent struct{ depth, nodes int }

// expansion computes the extent of each subschema once. A reference back to a schema that is being expanded counts as
// one node, because recursive schemas are fine.
type expansion struct {
	m     *mender
	known map[uintptr]extent // by the subschema's identity
}

func (e *expansion) of(s map[string]any) extent {
	id := reflect.ValueOf(s).Pointer()
	if x, known := e.known[id]; known {
		return x
	}
	x := extent{1, 1}
	e.known[id] = x // a cycle ends here
	add := func(o extent) {
		x.depth = max(x.depth, o.depth+1)
		x.nodes = min(x.nodes+o.nodes, MaxSchemaNodes+1)
	}
	if ref, ok := s["$ref"].(string); ok {
		add(e.of(e.m.target(ref)))
	}
	below(s, func(sub map[string]any) { add(e.of(sub)) })
	e.known[id] = x
	return x
}

// below calls visit with the schema's direct subschemas.
func below(s map[string]any, visit func(map[string]any)) {
	one := func(v any) {
		if sub, ok := v.(map[string]any); ok {
			visit(sub)
		}
	}
	for k, v := range s {
		switch keywords[k] {
		case aSchema:
			one(v)
		case schemaMap, dependencies:
			members, _ := v.(map[string]any)
			for _, e := range members {
				one(e)
			}
		case schemaList:
			list, _ := v.([]any)
			for _, e := range list {
				one(e)
			}
		}
	}
}
