package schema

import "encoding/json"

// Annotations are MCP's ToolAnnotations.
type Annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// Stated returns, as JSON, the annotations that a list of tools must state. It leaves out defaults: an idempotentHint
// of false and an openWorldHint of true. A tool that only reads needs neither hint about changes.
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
