package sanitize

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// MaxSchemaNodes is how many subschemas an input schema may have after all its $refs are followed. Clients and model
// APIs that inline $refs would fail with more.
const MaxSchemaNodes = 10_000

// mendSchema removes from a decoded schema everything that is not valid JSON Schema (2020-12, with draft-07's
// keywords): keywords whose value has the wrong form, unknown types, references to nowhere. One such schema is enough
// for a model API to refuse the request with all its tools. Data under enum, const, default and examples stays. The
// error says why the schema can't be published.
func mendSchema(root map[string]any) (*mender, error) {
	m := &mender{root: root, anchors: map[string]map[string]any{}}
	m.walk(root)
	if m.hasRefs {
		m.changed = m.dropDeadRefs(root) || m.changed
		e := expansion{m: m, known: map[uintptr]extent{}}
		if x := e.of(root); x.depth > MaxSchemaDepth {
			return nil, fmt.Errorf("its input schema is nested too deeply: %d levels, with its $refs, more than the %d allowed", x.depth, MaxSchemaDepth)
		} else if x.nodes > MaxSchemaNodes {
			return nil, fmt.Errorf("its input schema grows to more than the %d subschemas allowed, with its $refs",
				MaxSchemaNodes)
		}
	}
	return m, nil
}

type mender struct {
	root    map[string]any
	anchors map[string]map[string]any // by $anchor
	hasRefs bool

	changed  bool // something was removed
	oddNames bool // a property has a name that model APIs refuse
}

// form says what a keyword's value must be.
type form int

const (
	aSchema form = iota + 1
	schemaMap
	schemaList
	dependencies
	typeNames
	aString
	aDraft
	aNumber
	aPositive
	aCount
	aBool
	someNames
	nameLists
	aList
	anAnchor
	never
)

var keywords = map[string]form{
	"additionalItems": aSchema, "additionalProperties": aSchema, "contains": aSchema, "contentSchema": aSchema,
	"else": aSchema, "if": aSchema, "not": aSchema, "propertyNames": aSchema, "then": aSchema,
	"unevaluatedItems": aSchema, "unevaluatedProperties": aSchema, "items": aSchema,
	"$defs": schemaMap, "definitions": schemaMap, "dependentSchemas": schemaMap, "patternProperties": schemaMap,
	"properties": schemaMap,
	"allOf":      schemaList, "anyOf": schemaList, "oneOf": schemaList, "prefixItems": schemaList,
	"dependencies": dependencies, "dependentRequired": nameLists, "required": someNames, "type": typeNames,
	"$anchor": anAnchor, "$comment": aString, "$ref": aString, "$schema": aDraft,
	// These refer to other schemas, of which there are none. Two tools with the same $id make some clients fail.
	"$dynamicAnchor": never, "$dynamicRef": never, "$id": never, "$recursiveAnchor": never, "$recursiveRef": never,
	"$vocabulary":     never,
	"contentEncoding": aString, "contentMediaType": aString, "description": aString, "format": aString,
	"pattern": aString, "title": aString,
	"exclusiveMaximum": aNumber, "exclusiveMinimum": aNumber, "maximum": aNumber, "minimum": aNumber,
	"multipleOf":  aPositive,
	"maxContains": aCount, "maxItems": aCount, "maxLength": aCount, "maxProperties": aCount,
	"minContains": aCount, "minItems": aCount, "minLength": aCount, "minProperties": aCount,
	"deprecated": aBool, "readOnly": aBool, "uniqueItems": aBool, "writeOnly": aBool,
	"enum": aList, "examples": aList,
}

// walk mends a schema object and everything below it.
func (m *mender) walk(s map[string]any) {
	if tuple, ok := s["items"].([]any); ok { // draft-07's form
		s["prefixItems"] = tuple
		delete(s, "items")
		if rest, ok := s["additionalItems"]; ok {
			s["items"] = rest
			delete(s, "additionalItems")
		}
		m.changed = true
	}
	if names, ok := s["required"].([]any); ok {
		s["required"] = m.once(names)
	}
	for k, v := range s {
		f, known := keywords[k]
		if known && !m.fits(f, v) {
			delete(s, k)
			m.changed = true
		}
	}
	if name, ok := s["$anchor"].(string); ok {
		m.anchors[name] = s
	}
	if _, ok := s["$ref"]; ok {
		m.hasRefs = true
	}
	properties, _ := s["properties"].(map[string]any)
	for name := range properties {
		m.oddNames = m.oddNames || !portableArgument(name)
	}
}

// once removes repeated names.
func (m *mender) once(names []any) []any {
	if uniqueNames(names) {
		return names
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(names), func(e any) bool {
		name, ok := e.(string)
		again := ok && seen[name]
		seen[name] = true
		m.changed = m.changed || again
		return again
	})
}

// fits mends the value of a keyword, and reports whether the keyword may stay.
func (m *mender) fits(f form, v any) bool {
	switch f {
	case aSchema:
		return m.schema(v)
	case schemaMap:
		return m.each(v, m.schema)
	case dependencies:
		return m.each(v, func(e any) bool { return uniqueNames(e) || m.schema(e) })
	case schemaList:
		list, ok := v.([]any)
		return ok && len(list) > 0 && !slices.ContainsFunc(list, func(e any) bool { return !m.schema(e) })
	case typeNames:
		if list, ok := v.([]any); ok {
			return len(list) > 0 && uniqueNames(v) &&
				!slices.ContainsFunc(list, func(e any) bool { return !typeName(e) })
		}
		return typeName(v)
	case aString:
		_, ok := v.(string)
		return ok
	case aDraft:
		uri, ok := v.(string)
		return ok && slices.Contains(drafts, strings.TrimSuffix(uri, "#"))
	case aNumber:
		_, ok := v.(json.Number)
		return ok
	case aPositive:
		n, ok := v.(json.Number)
		f, _ := n.Float64()
		return ok && f > 0
	case aCount:
		n, ok := v.(json.Number)
		f, err := n.Float64()
		return ok && err == nil && f >= 0 && f == float64(uint64(f))
	case aBool:
		_, ok := v.(bool)
		return ok
	case someNames:
		return uniqueNames(v)
	case nameLists:
		return m.each(v, uniqueNames)
	case anAnchor:
		name, ok := v.(string)
		return ok && anchorName.MatchString(name)
	case aList:
		list, ok := v.([]any)
		return ok && len(list) > 0
	}
	return f != never
}

// schema mends one subschema; it returns false if v is none.
func (m *mender) schema(v any) bool {
	switch v := v.(type) {
	case bool:
		return true
	case map[string]any:
		m.walk(v)
		return true
	}
	return false
}

// each requires an object, and replaces members that don't fit by the schema of anything.
func (m *mender) each(v any, fits func(any) bool) bool {
	members, ok := v.(map[string]any)
	for k, e := range members {
		if !fits(e) {
			members[k] = map[string]any{}
			m.changed = true
		}
	}
	return ok
}

// drafts are the versions of JSON Schema that clients know.
var drafts = []string{
	"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
	"http://json-schema.org/draft-07/schema",
}

var anchorName = regexp.MustCompile(`^[A-Za-z_][-A-Za-z0-9._]*$`)

func typeName(v any) bool {
	switch v {
	case "array", "boolean", "integer", "null", "number", "object", "string":
		return true
	}
	return false
}

// uniqueNames reports whether v is a list of different strings.
func uniqueNames(v any) bool {
	list, ok := v.([]any)
	seen := make(map[string]bool, len(list))
	for _, e := range list {
		name, is := e.(string)
		if !is || seen[name] {
			return false
		}
		seen[name] = true
	}
	return ok
}
