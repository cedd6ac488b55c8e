// Package schema makes the input schemas of tools of the structs that hold their arguments, and decodes arguments that
// satisfy them. The schemas are JSON Schemas of objects, in few characters.
package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry/sanitize"
)

// Object is an object with these properties and no others.
type Object []Field

// Field is a property of an object.
type Field struct {
	Name     string
	schema   string // JSON
	required bool
	unlisted bool
}

// Of returns the object that a struct holds. Each field is a property, and so is each field of an embedded struct.
// These tags of a field describe its property:
//
//   - `json` has its name.
//   - `is` has its description.
//   - `among` has the strings that it may be, separated by commas.
//   - `least` and `most` bound a number; `least` also bounds the length of a list.
//   - `as` is "required" or "unlisted". Agents don't read of an unlisted property: chrome-devtools-mcp accepts it too,
//     and few agents need it.
func Of[A any]() Object { return object(reflect.TypeFor[A]()) }

func object(t reflect.Type) (all Object) {
	for _, f := range reflect.VisibleFields(t) {
		if as := f.Tag.Get("as"); !f.Anonymous {
			all = append(all, Field{f.Tag.Get("json"), property(f.Type, f.Tag), as == "required", as == "unlisted"})
		}
	}
	return all
}

// kinds are JSON Schema's names of types.
var kinds = map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer",
	reflect.Int64: "integer", reflect.Float64: "number"}

// property returns the schema of a field.
func property(t reflect.Type, tag reflect.StructTag) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	among, least := "", "minimum"
	if words, some := tag.Lookup("among"); some {
		among = `,"enum":` + list(strings.Split(words, ","))
	}
	text := `"type":"` + kinds[t.Kind()] + `"` + among
	if t.Kind() == reflect.Slice {
		items := `{"type":"string"` + among + "}"
		if t.Elem().Kind() == reflect.Struct {
			items = string(object(t.Elem()).Schema())
		}
		text, least = `"type":"array","items":`+items, "minItems"
	}
	if t == reflect.TypeFor[TextOrTexts]() {
		text = `"type":["string","array"],"items":{"type":"string"}`
	}
	for _, bound := range [][2]string{{least, tag.Get("least")}, {"maximum", tag.Get("most")}} {
		if bound[1] != "" {
			text += `,"` + bound[0] + `":` + bound[1]
		}
	}
	if is := tag.Get("is"); is != "" {
		text += `,"description":` + quote(is)
	}
	return "{" + text + "}"
}

// Has says whether the object has a property.
func (o Object) Has(name string) bool {
	return slices.ContainsFunc(o, func(f Field) bool { return f.Name == name })
}

// Without returns the object without some of its properties.
func (o Object) Without(names ...string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(f Field) bool { return slices.Contains(names, f.Name) })
}

// Schema returns the schema that arguments must satisfy. Unlisted properties are patterns in it.
func (o Object) Schema() json.RawMessage { return o.encode(true) }

// Listed returns the schema in the form that agents read. It doesn't forbid other properties; an agent that gives
// others gets an error.
func (o Object) Listed() json.RawMessage { return o.encode(false) }

func (o Object) encode(whole bool) json.RawMessage {
	var listed, patterns, required []string
	for _, f := range o {
		if f.unlisted {
			patterns = append(patterns, strconv.Quote("^"+f.Name+"$")+":"+f.schema)
			continue
		}
		listed = append(listed, strconv.Quote(f.Name)+":"+f.schema)
		if f.required {
			required = append(required, f.Name)
		}
	}
	text := `{"type":"object","properties":{` + strings.Join(listed, ",") + "}"
	if required != nil {
		text += `,"required":` + list(required)
	}
	if whole && patterns != nil {
		text += `,"patternProperties":{` + strings.Join(patterns, ",") + "}"
	}
	if whole {
		text += `,"additionalProperties":false`
	}
	return json.RawMessage(text + "}")
}

// quote returns a string as JSON, with < and > unescaped.
func quote(text string) string { return string(sanitize.Encode(text)) }

func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = quote(t)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
