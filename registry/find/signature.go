package find

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// These limit a signature.
const (
	maxSignatureName   = 64 // bytes of a tool's or a parameter's name
	maxSignatureParams = 16
	maxSignatureValues = 5  // of an enum
	maxSignatureType   = 64 // bytes
)

// Signature returns in one line how a tool is called, such as search_products(query: string, max?: integer): the
// page's own name for the tool, and its parameters in the order of its schema. A question mark marks optional
// parameters. Signature leaves out excess parameters and long enum values, and writes "…" in their place. The words
// are the page's, without characters that could deceive a reader. Names that are no identifiers are in quotes.
// Signature may be called from any goroutine.
func Signature(t *offer.HubTool) string {
	var b strings.Builder
	b.WriteString(nameText(t.Route.Tool))
	b.WriteByte('(')
	params := parametersOf(t.InputSchema)
	for i, p := range params {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == maxSignatureParams {
			b.WriteString("…")
			break
		}
		b.WriteString(nameText(p.name))
		if !p.required {
			b.WriteByte('?')
		}
		b.WriteString(": ")
		b.WriteString(p.schema.typeText(0))
	}
	b.WriteByte(')')
	return b.String()
}

// nameText returns a page's name for something. It is in quotes unless it consists of letters, digits and _-.$/ only,
// so that no name can be taken for the text around it.
func nameText(name string) string {
	text := oneLine(name, maxSignatureName)
	odd := func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("_-.$/", r)
	}
	if text != "" && !strings.ContainsFunc(text, odd) {
		return text
	}
	quoted := string(sanitize.Encode(text))
	if len(quoted) > maxSignatureName+2 {
		quoted = string(sanitize.Encode(oneLine(name, maxSignatureName/2)))
	}
	return quoted
}

// oneLine returns a page's text without line breaks, cut to max bytes.
func oneLine(text string, max int) string {
	if len(text) > 4*max { // skip what would be cut anyway
		text = strings.ToValidUTF8(text[:4*max], "")
	}
	text = strings.Join(strings.Fields(sanitize.Text(text, 4*max+16)), " ")
	if len(text) <= max {
		return text
	}
	end := max - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// parameter is one property of a tool's input schema.
type parameter struct {
	name     string
	required bool
	schema   schema
}

// schema holds the keywords of a JSON Schema that are read here. They may have any JSON value, because a page wrote
// them.
type schema struct {
	Type        json.RawMessage `json:"type"`
	Title       json.RawMessage `json:"title"`
	Description json.RawMessage `json:"description"`
	Enum        json.RawMessage `json:"enum"`
	Const       json.RawMessage `json:"const"`
	Items       json.RawMessage `json:"items"`
	AnyOf       json.RawMessage `json:"anyOf"`
	OneOf       json.RawMessage `json:"oneOf"`
	Properties  json.RawMessage `json:"properties"`
	Required    json.RawMessage `json:"required"`
}

func readSchema(raw json.RawMessage) (s schema) {
	_ = json.Unmarshal(raw, &s) // a schema that is no object says nothing
	return s
}

// parametersOf returns the properties of an input schema, in its order.
func parametersOf(input json.RawMessage) (all []parameter) {
	root := readSchema(input)
	var required []string
	_ = json.Unmarshal(root.Required, &required)
	for name, raw := range members(root.Properties) {
		all = append(all, parameter{name, slices.Contains(required, name), readSchema(raw)})
		if len(all) > maxParams {
			break
		}
	}
	return all
}

// maxParams is how many parameters of a tool are read.
const maxParams = 64

// members yields the members of a JSON object in order, and nothing for any other value.
func members(object json.RawMessage) func(yield func(name string, value json.RawMessage) bool) {
	return func(yield func(string, json.RawMessage) bool) {
		d := json.NewDecoder(bytes.NewReader(object))
		if open, err := d.Token(); err != nil || open != json.Delim('{') {
			return
		}
		for d.More() {
			key, err := d.Token()
			name, is := key.(string)
			var value json.RawMessage
			if err != nil || !is || d.Decode(&value) != nil || !yield(name, value) {
				return
			}
		}
	}
}

// typeText returns a schema's type as people write it: string, integer, string[], "asc"|"desc".
func (s schema) typeText(depth int) string {
	if depth > 2 {
		return "any"
	}
	if values := s.values(); values != "" {
		return values
	}
	for _, choice := range []json.RawMessage{s.AnyOf, s.OneOf} {
		var branches []json.RawMessage
		if json.Unmarshal(choice, &branches) != nil || len(branches) == 0 {
			continue
		}
		var types []string
		for _, b := range branches[:min(len(branches), 2*maxSignatureValues)] {
			types = append(types, readSchema(b).typeText(depth+1))
		}
		return joined(types)
	}
	var types []string
	for _, t := range typesOf(s.Type) {
		if t == "array" && s.Items != nil {
			t = array(readSchema(s.Items).typeText(depth + 1))
		}
		types = append(types, t)
	}
	if len(types) == 0 && s.Properties != nil {
		return "object"
	}
	return joined(types)
}

// array returns the type of an array with elements of that type.
func array(of string) string {
	switch {
	case of == "any":
		return "array"
	case strings.ContainsAny(of, `|"`):
		return "(" + of + ")[]"
	}
	return of + "[]"
}

// joined returns a choice between types, each once.
func joined(types []string) string {
	var once []string
	for _, t := range types {
		if !slices.Contains(once, t) {
			once = append(once, t)
		}
	}
	text := strings.Join(once, "|")
	if text == "" || len(text) > maxSignatureType || slices.Contains(once, "any") {
		return "any"
	}
	return text
}

// jsonTypes are the types that a schema can name.
var jsonTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// typesOf reads a type, or a list of types. It leaves out what is not a JSON type.
func typesOf(raw json.RawMessage) []string {
	var one string
	var many []string
	if json.Unmarshal(raw, &one) == nil {
		many = []string{one}
	} else if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	return slices.DeleteFunc(many, func(t string) bool { return !slices.Contains(jsonTypes, t) })
}

// values returns the choices of an enum, or "".
func (s schema) values() string {
	var values []json.RawMessage
	switch {
	case s.Const != nil:
		values = []json.RawMessage{s.Const}
	case json.Unmarshal(s.Enum, &values) != nil || len(values) == 0:
		return ""
	}
	var text strings.Builder
	for i, v := range values {
		shown := string(v)
		var word string
		if json.Unmarshal(v, &word) == nil {
			shown = string(sanitize.Encode(oneLine(word, maxSignatureType)))
		}
		if i > 0 {
			text.WriteByte('|')
		}
		if i == maxSignatureValues || text.Len()+len(shown) > maxSignatureType || len(v) > 0 &&
			(v[0] == '{' || v[0] == '[') {
			text.WriteString("…")
			break
		}
		text.WriteString(shown)
	}
	if text.String() == "…" {
		return ""
	}
	return text.String()
}
