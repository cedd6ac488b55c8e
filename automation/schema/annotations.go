package schema

import "encoding/json"

// Annotations are MCP's ToolAnnotations.
type Annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// Stated are those that a list of tools needs, as JSON: an idempotentHint of false and an openWorldHint
// of true hold of a tool that has none, and what only reads has no use for the two about what is changed.
func (a Annotations) Stated() json.RawMessage {
	text := `{"readOnlyHint":true`
	if !a.ReadOnly {
		text = `{"readOnlyHint":false,"destructiveHint":false`
		if a.Destructive {
			text = `{"readOnlyHint":false,"destructiveHint":true`
		}
		if a.Idempotent {
			text += `,"idempotentHint":true`
		}
	}
	if !a.OpenWorld {
		text += `,"openWorldHint":false`
	}
	return json.RawMessage(text + "}")
}
