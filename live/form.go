package live

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry/sanitize"
)

// maxFields is how many parameters of a tool may have a field.
const maxFields = 60

// Field is a field of a form: a parameter of a tool.
type Field struct {
	Name, Label, Help string
	Kind              string   // "text", "number", "switch", "choice" or "json"
	Choices           []string // as JSON
	Required          bool
	Lines             bool   // the value is a text that may have several lines
	Value             string // as it is shown; JSON for a choice and a "json" field
	Problem           string // what is wrong with the value, or ""
}

// Fields returns the fields for a tool's schema, with the values of args, which may be nil.
func Fields(schema, args json.RawMessage) (all []Field) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(schema, &s)
	var given map[string]json.RawMessage
	_ = json.Unmarshal(args, &given)
	var order []string
	for name := range s.Properties {
		order = append(order, name)
	}
	slices.Sort(order)
	for _, name := range order[:min(len(order), maxFields)] {
		f := maskedField(name, s.Properties[name])
		f.Required = slices.Contains(s.Required, name)
		if v, has := given[name]; has {
			f.Value = string(v)
			var text string
			if f.Kind == "text" && json.Unmarshal(v, &text) == nil {
				f.fill(text)
			}
		}
		all = append(all, f)
	}
	return all
}

// fill sets the value. A field whose value has several lines becomes one for texts of several lines.
func (f *Field) fill(value string) {
	f.Value = value
	f.Lines = f.Lines || f.Kind == "text" && strings.ContainsAny(value, "\r\n")
}

func maskedField(name string, schema json.RawMessage) Field {
	f := Field{Name: name, Label: sanitize.Text(name, 80), Kind: "json"}
	var p struct {
		Type        any               `json:"type"`
		Description string            `json:"description"`
		Format      any               `json:"format"`
		Enum        []json.RawMessage `json:"enum"`
	}
	if json.Unmarshal(schema, &p) != nil {
		return f
	}
	f.Help = sanitize.Text(p.Description, maxPart)
	switch p.Type {
	case "string":
		f.Kind, f.Lines = "text", p.Format == nil // a text with a format, such as a date, has one line
	case "number", "integer":
		f.Kind = "number"
	case "boolean":
		f.Kind = "switch"
	}
	if len(p.Enum) > 0 && len(p.Enum) <= 200 {
		f.Kind = "choice"
		for _, v := range p.Enum {
			f.Choices = append(f.Choices, string(v))
		}
	}
	return f
}

// Arguments returns the arguments that a person has filled in. by returns the content of a parameter's field, or "".
// An empty field is no argument, unless it is a required text. Arguments sets the fields' values and problems, and
// wrong is how many fields have a problem.
func Arguments(fields []Field, by func(name string) string) (args json.RawMessage, wrong int) {
	given := map[string]json.RawMessage{}
	for i := range fields {
		f := &fields[i]
		f.fill(strings.ReplaceAll(by(f.Name), "\r\n", "\n")) // forms send \r\n for a line break
		f.Problem = ""
		if f.Value == "" && !(f.Required && f.Kind == "text") {
			continue
		}
		value := json.RawMessage(strings.TrimSpace(f.Value))
		switch f.Kind {
		case "text":
			value, _ = json.Marshal(f.Value)
		case "number":
			if _, err := strconv.ParseFloat(string(value), 64); err != nil || !json.Valid(value) {
				f.Problem = "This must be a number, such as 3 or 0.5."
			}
		default:
			if !json.Valid(value) {
				f.Problem = `This must be JSON, such as [1,2] or {"a":true}.`
			}
		}
		if f.Problem != "" {
			wrong++
		}
		given[f.Name] = value
	}
	if wrong > 0 {
		return nil, wrong
	}
	args, _ = json.Marshal(given) // every value is JSON
	return args, 0
}
