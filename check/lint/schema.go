package lint

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A node is one schema within a tool's input schema.
type node struct {
	path  string         // such as "inputSchema.properties.q"
	is    map[string]any // nil if the schema is true or false
	name  string         // the property that the schema describes; "" if it describes none
	depth int            // how many objects and arrays are around the schema
	// branch says that the schema adds to the one around it, as one of anyOf does. The properties may be in the outer
	// schema.
	branch bool
}

// maxDepth is the depth to which readSchema reads schemas.
const maxDepth = 32

// readSchema reads a schema and finds all schemas within it, the outer ones first.
func readSchema(raw json.RawMessage) (root node, all []node) {
	var is map[string]any
	if len(raw) == 0 || json.Unmarshal(raw, &is) != nil || is == nil {
		return node{}, nil
	}
	root = node{path: "inputSchema", is: is}
	var walk func(n node)
	walk = func(n node) {
		if len(all) >= MaxParts {
			return
		}
		all = append(all, n)
		if n.depth >= maxDepth || n.is == nil {
			return
		}
		for _, sub := range n.within() {
			walk(sub)
		}
	}
	walk(root)
	return root, all
}

// within returns the schemas directly within a schema.
func (n node) within() (subs []node) {
	for _, key := range slices.Sorted(maps.Keys(n.is)) {
		switch value := n.is[key]; key {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			fields, _ := value.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				sub := node{path: below(n.path, key+"."+name), depth: n.depth + 1}
				if key == "properties" {
					sub.name = name
				}
				subs = append(subs, sub.of(fields[name]))
			}
		case "items", "additionalProperties", "contains", "prefixItems", "unevaluatedProperties", "unevaluatedItems":
			subs = append(subs, node{path: below(n.path, key), depth: n.depth + 1}.of(value))
		case "not", "if", "then", "else", "propertyNames":
			subs = append(subs, node{path: below(n.path, key), depth: n.depth, branch: true}.of(value))
		case "allOf", "anyOf", "oneOf":
			list, _ := value.([]any)
			for i, one := range list {
				subs = append(subs, node{path: below(n.path, key+"["+strconv.Itoa(i)+"]"), depth: n.depth,
					branch: true}.of(one))
			}
		}
	}
	return slices.DeleteFunc(subs, func(s node) bool { return s.is == nil })
}

// maxPath limits the path of a part of a schema, in bytes, because names may be very long.
const maxPath = 250

// below returns the path of a part.
func below(path, part string) string {
	all := path + "." + part
	if len(path) > maxPath {
		return path
	}
	if len(all) > maxPath {
		return strings.ToValidUTF8(all[:maxPath], "") + "…"
	}
	return all
}

func (n node) of(value any) node {
	n.is, _ = value.(map[string]any)
	return n
}

// text returns a member that is a string; "" if it isn't one.
func (n node) text(key string) string {
	s, _ := n.is[key].(string)
	return s
}

// types returns the types that a schema permits; none if the schema doesn't say.
func (n node) types() (all []string) {
	switch t := n.is["type"].(type) {
	case string:
		return []string{t}
	case []any:
		for _, one := range t {
			if s, ok := one.(string); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

func (n node) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := n.is[key]; return ok })
}

// constants reports whether a schema only lists values, as the schemas that Chrome makes of a form's choices do.
func (n node) constants() bool { return n.has("const") || n.has("enum") }

// fits reports whether a value has one of these types. If there are no types, every value fits.
func fits(value any, types []string) bool {
	if len(types) == 0 {
		return true
	}
	return slices.ContainsFunc(types, func(t string) bool {
		switch v := value.(type) {
		case nil:
			return t == "null"
		case bool:
			return t == "boolean"
		case float64:
			return t == "number" || t == "integer" && v == float64(int64(v))
		case string:
			return t == "string"
		case []any:
			return t == "array"
		case map[string]any:
			return t == "object"
		}
		return false
	})
}
