package gateway

import (
	"encoding/json"

	"webmcphub/registry"
)

// resultOf is what a node says came of a tool's call; ok is false where that isn't a tool's result. What the
// node says of its end is heeded only where hubs say such a thing.
func resultOf(raw json.RawMessage, isError bool, ending string) (r registry.Result, ok bool) {
	if !isResult(raw) {
		return r, false
	}
	r = registry.Result{JSON: raw, IsError: isError}
	if registry.KnownEnding(ending) {
		r.Ending = ending
	}
	return r, true
}

// isResult says whether JSON is an MCP CallToolResult, and nothing that its client would take for more: that
// the server asks for something before it answers.
func isResult(raw json.RawMessage) bool {
	var r struct {
		Content *[]struct{}     `json:"content"`
		Type    json.RawMessage `json:"resultType"` // as it is: it may be long
	}
	return json.Unmarshal(raw, &r) == nil && r.Content != nil && (r.Type == nil || string(r.Type) == "null")
}
