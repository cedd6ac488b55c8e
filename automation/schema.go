package automation

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A field is one property of an input schema.
type field struct {
	name, schema string
	required     bool
}

// must makes a field one that has to be given.
func (f field) must() field { f.required = true; return f }

// closed ends the schema of an object that has no other properties.
const closed = `,"additionalProperties":false}`

// object makes the schema of an object with these properties and no others.
func object(fields ...field) json.RawMessage {
	var b strings.Builder
	var required []string
	b.WriteString(`{"type":"object","properties":{`)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(f.name) + ":" + f.schema)
		if f.required {
			required = append(required, strconv.Quote(f.name))
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":[` + strings.Join(required, ",") + `]`)
	}
	b.WriteString(closed)
	return json.RawMessage(b.String())
}

// described adds a description to the members of a schema; "" adds none.
func described(members, description string) string {
	if description != "" {
		members += `,"description":` + string(mustEncode(description))
	}
	return "{" + members + "}"
}

func text(name, description string) field {
	return field{name: name, schema: described(`"type":"string"`, description)}
}

func yesno(name, description string) field {
	return field{name: name, schema: described(`"type":"boolean"`, description)}
}

// count is a whole number from least on; 0 leaves the tool to check it.
func count(name string, least int, description string) field {
	members := `"type":"integer"`
	if least > 0 {
		members += `,"minimum":` + strconv.Itoa(least)
	}
	return field{name: name, schema: described(members, description)}
}

func oneOf(name, description string, values ...string) field {
	return field{name: name, schema: described(`"type":"string","enum":`+string(mustEncode(values)), description)}
}

func texts(name string, least int, description string) field {
	members := `"type":"array","items":{"type":"string"}`
	if least > 0 {
		members += `,"minItems":` + strconv.Itoa(least)
	}
	return field{name: name, schema: described(members, description)}
}

// Fields that many tools have. They are described once, in the tool that is used
// first, or by their names: every tool's schema is in every agent's context.
var (
	pageID       = field{name: "pageId", schema: `{"type":"integer"}`}
	uid          = text("uid", "").must()
	withSnapshot = yesno("includeSnapshot", "")
	timeout      = field{name: "timeout", schema: `{"type":"integer","description":"ms"}`}
	filePath     = text("filePath", "Save to this file instead")
)
