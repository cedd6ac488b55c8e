package sanitize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxSchema is the longest schema, in bytes, that is published.
const MaxSchema = 256 << 10

// MaxSchemaDepth is the deepest nesting of a schema that is published.
const MaxSchemaDepth = 64

// emptySchema accepts any arguments object.
const emptySchema = `{"type":"object","properties":{}}`

// InputSchema turns a tool's input schema into one that every client accepts: an object with type "object", with
// properties, and without the top-level combinators that model APIs refuse. What the combinators said becomes text in
// the schema's description. Other parts stay as the page wrote them. Nothing is lost, because arguments are validated
// by the page's own schema.
//
// Parts further down that are not valid JSON Schema are removed, see mendSchema.
//
// An absent schema, or one whose root can't describe an object, becomes the schema of any object. The error says why
// a schema can't be published at all.
func InputSchema(raw json.RawMessage) (json.RawMessage, error) {
	schema, _, err := inputSchema(raw)
	return schema, err
}

// pageWords maps what clients see to the page's words where the two differ.
type pageWords struct {
	arguments map[string]string // see renameArguments
	marked    map[string]string // see scrubber: names and values at any depth
}

// inputSchema returns the same as InputSchema, and what it had to rename.
func inputSchema(raw json.RawMessage) (schema json.RawMessage, words pageWords, err error) {
	var s scrubber
	schema, oddNames, err := s.portableSchema(raw)
	words.marked = s.marked
	if err != nil || !oddNames {
		return schema, words, err
	}
	schema, words.arguments = renameArguments(schema)
	if words.arguments != nil {
		schema, _, err = s.portableSchema(schema) // removes references to the old names
	}
	return schema, words, err
}

// portableSchema is InputSchema without renaming arguments; oddNames says that some names may have to be changed.
func (s *scrubber) portableSchema(raw json.RawMessage) (schema json.RawMessage, oddNames bool, err error) {
	raw = bytes.TrimSpace(raw)
	if !isObject(raw) {
		return json.RawMessage(emptySchema), false, nil
	}
	if len(raw) > MaxSchema {
		return nil, false, fmt.Errorf("its input schema has %d bytes, more than the %d allowed", len(raw), MaxSchema)
	}
	if NestedDeeper(raw, MaxSchemaDepth) {
		return nil, false, errors.New("its input schema is nested too deeply")
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, false, fmt.Errorf("its input schema is not valid JSON: %v", err)
	}
	if !describesObject(root["type"]) {
		return json.RawMessage(emptySchema), false, nil
	}
	v, err := decodeAny(raw)
	if err != nil {
		return nil, false, fmt.Errorf("its input schema is not valid JSON: %v", err)
	}
	scrubs := mayNeedScrub(raw)
	if scrubs {
		v = s.of(v, aSubschema)
	}
	m, err := mendSchema(v.(map[string]any))
	if err != nil {
		return nil, false, err
	}
	if m.changed || scrubs {
		raw, root = Encode(v), nil
		_ = json.Unmarshal(raw, &root)
	}
	if clientsAccept(root) {
		return compact(raw), m.oddNames, nil
	}
	root["type"] = json.RawMessage(`"object"`)
	sentences := liftCombinators(root)
	if !isObject(root["properties"]) {
		root["properties"] = json.RawMessage(`{}`)
	}
	if len(sentences) > 0 {
		var description string
		_ = json.Unmarshal(root["description"], &description)
		root["description"] = Encode(strings.TrimSpace(description + " " + strings.Join(sentences, " ")))
	}
	return Encode(root), m.oddNames, nil
}

// clientsAccept reports whether clients accept the root unchanged.
func clientsAccept(root map[string]json.RawMessage) bool {
	for _, k := range combinators {
		if _, has := root[k]; has {
			return false
		}
	}
	return string(bytes.TrimSpace(root["type"])) == `"object"` && isObject(root["properties"])
}

// describesObject reports whether a root of this type can describe the arguments object: no type at all, "object", or
// a list with "object" in it.
func describesObject(typ json.RawMessage) bool {
	if typ == nil {
		return true
	}
	var one string
	if json.Unmarshal(typ, &one) == nil {
		return one == "object"
	}
	var many []string
	return json.Unmarshal(typ, &many) == nil && slices.Contains(many, "object")
}

// combinators are the keywords that model APIs refuse at the root of a schema. They accept if, then and else there.
var combinators = []string{"allOf", "anyOf", "not", "oneOf", "$ref", "enum", "const"}

// liftCombinators removes the combinators from the root. It adds the properties of their branches to the root's,
// makes those required that allOf requires, and returns the rest as sentences.
func liftCombinators(root map[string]json.RawMessage) (sentences []string) {
	properties := map[string]json.RawMessage{}
	_ = json.Unmarshal(root["properties"], &properties)
	required, _ := stringList(root["required"])
	for _, k := range combinators {
		raw, has := root[k]
		if !has {
			continue
		}
		delete(root, k)
		for _, branch := range branches(root, k, raw) {
			for name, schema := range branch.Properties {
				if _, taken := properties[name]; !taken {
					properties[name] = schema
				}
			}
			if k == "allOf" || k == "$ref" {
				more, _ := stringList(branch.Required)
				required = append(required, more...)
			}
		}
		sentences = append(sentences, fmt.Sprintf("Arguments must also satisfy %s: %s.", k, compact(raw)))
	}
	if len(properties) > 0 {
		root["properties"] = Encode(properties)
	}
	if len(required) > 0 {
		slices.Sort(required)
		root["required"] = Encode(slices.Compact(required))
	}
	return sentences
}

type branch struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   json.RawMessage            `json:"required"`
}

// branches decodes the value of a combinator: a list of schemas, one schema, or a local $ref to one.
func branches(root map[string]json.RawMessage, keyword string, raw json.RawMessage) []branch {
	if keyword == "$ref" {
		raw = localRef(root, raw)
	}
	var many []json.RawMessage
	if json.Unmarshal(raw, &many) != nil {
		many = []json.RawMessage{raw}
	}
	var out []branch
	for _, m := range many {
		var b branch
		if isObject(m) && json.Unmarshal(m, &b) == nil {
			out = append(out, b)
		}
	}
	return out
}

// localRef follows "#/$defs/x" or "#/definitions/x"; it returns nil for anything else.
func localRef(root map[string]json.RawMessage, raw json.RawMessage) json.RawMessage {
	var ref string
	_ = json.Unmarshal(raw, &ref)
	for _, k := range []string{"$defs", "definitions"} {
		name, ok := strings.CutPrefix(ref, "#/"+k+"/")
		var defs map[string]json.RawMessage
		if ok && json.Unmarshal(root[k], &defs) == nil {
			return defs[name]
		}
	}
	return nil
}

// headerKey is an annotation that makes MCP servers map arguments to HTTP headers, which a page must not do.
const headerKey = "x-mcp-header"

// mayNeedScrub is a quick check; an escape could hide anything.
func mayNeedScrub(raw []byte) bool {
	return bytes.Contains(raw, []byte(headerKey)) || bytes.Contains(raw, []byte(`\u`)) ||
		!utf8.Valid(raw) || bytes.ContainsFunc(raw, deceptive) || WildNumber(raw)
}

// scrub removes headerKey from every object of a schema. It removes deceptive characters from descriptions and
// titles, and makes them visible elsewhere, see [scrubber]. It also mends broken text and numbers for which some
// clients would refuse the whole list.
func scrub(raw json.RawMessage) json.RawMessage {
	if !mayNeedScrub(raw) {
		return raw
	}
	v, err := decodeAny(raw)
	if err != nil {
		return raw
	}
	return Encode(new(scrubber).of(v, aSubschema))
}

// NestedDeeper reports whether JSON text has more levels than max. Deep nesting could exhaust a client's stack.
func NestedDeeper(raw []byte, max int) bool {
	depth, inString, escaped := 0, false, false
	for _, c := range raw {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > max {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// stringList decodes a list of strings and nothing else. It returns an empty list as non-nil, so that it is encoded
// as a list again and not as null.
func stringList(raw json.RawMessage) (list []string, ok bool) {
	var may []*string // null is no string
	if json.Unmarshal(raw, &may) != nil || may == nil {
		return nil, false
	}
	list = make([]string, 0, len(may))
	for _, s := range may {
		if s == nil {
			return nil, false
		}
		list = append(list, *s)
	}
	return list, true
}

func compact(raw []byte) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
