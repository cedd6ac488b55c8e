// Package schema makes the input schemas of tools and decodes the arguments that satisfy them. The schemas are JSON
// Schemas of objects, in few characters.
package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"webmcphub/registry/sanitize"
)

// Field is a property of an object.
type Field struct {
	Name     string
	Schema   string // JSON
	Required bool
}

// Must returns the field as a required one.
func (f Field) Must() Field { f.Required = true; return f }

// Closed is the end of the schema of an object that has no other properties.
const Closed = `,"additionalProperties":false}`

// Object returns the schema of an object with these properties and no others.
func Object(fields ...Field) json.RawMessage {
	var b strings.Builder
	var required []string
	b.WriteString(`{"type":"object","properties":{`)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(f.Name) + ":" + f.Schema)
		if f.Required {
			required = append(required, strconv.Quote(f.Name))
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":[` + strings.Join(required, ",") + `]`)
	}
	b.WriteString(Closed)
	return json.RawMessage(b.String())
}

// Also adds properties to a schema made by [Object], as patterns, without telling every agent about them. They are
// arguments that chrome-devtools-mcp accepts and few agents need.
func Also(object json.RawMessage, fields ...Field) json.RawMessage {
	var more []string
	for _, f := range fields {
		more = append(more, strconv.Quote("^"+f.Name+"$")+":"+f.Schema)
	}
	return json.RawMessage(strings.TrimSuffix(string(object), Closed) + `,"patternProperties":{` +
		strings.Join(more, ",") + "}" + Closed)
}

// Listed returns a schema in the form that agents read. It leaves out that there are no other properties; an agent
// that gives others is told.
func Listed(object json.RawMessage) json.RawMessage {
	var listed struct {
		Type       json.RawMessage `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   json.RawMessage `json:"required,omitempty"`
	}
	if err := json.Unmarshal(object, &listed); err != nil {
		panic(err) // can't fail: the schema is the hub's own
	}
	return sanitize.Encode(listed)
}

// described adds a description to the members of a schema; "" adds none.
func described(members, description string) string {
	if description != "" {
		members += `,"description":` + quote(description)
	}
	return "{" + members + "}"
}

// Text is a string.
func Text(name, description string) Field {
	return Field{Name: name, Schema: described(`"type":"string"`, description)}
}

// YesNo is a boolean.
func YesNo(name, description string) Field {
	return Field{Name: name, Schema: described(`"type":"boolean"`, description)}
}

// Number is any number.
func Number(name string) Field {
	return Field{Name: name, Schema: `{"type":"number"}`}
}

// Count is a whole number that is at least least. If least is 0, the tool itself checks the number.
func Count(name string, least int, description string) Field {
	members := `"type":"integer"`
	if least > 0 {
		members += `,"minimum":` + strconv.Itoa(least)
	}
	return Field{Name: name, Schema: described(members, description)}
}

// OneOf is one of the given strings.
func OneOf(name, description string, values ...string) Field {
	return Field{Name: name, Schema: described(`"type":"string","enum":`+list(values), description)}
}

// Texts is a list of at least least strings.
func Texts(name string, least int, description string) Field {
	members := `"type":"array","items":{"type":"string"}`
	if least > 0 {
		members += `,"minItems":` + strconv.Itoa(least)
	}
	return Field{Name: name, Schema: described(members, description)}
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
