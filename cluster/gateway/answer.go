package gateway

import (
	"encoding/json"

	"webmcphub/registry"
)

// resultOf returns the result of a tool call that a node has sent. ok is false if it isn't a tool's result. An ending
// that no hub uses is ignored.
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

// isResult says whether JSON is a plain MCP CallToolResult: one with a resultType could make the client believe that
// the server asks for something before it answers.
func isResult(raw json.RawMessage) bool {
	var r struct {
		Content *[]struct{}     `json:"content"`
		Type    json.RawMessage `json:"resultType"` // not decoded, since it may be long
	}
	return json.Unmarshal(raw, &r) == nil && r.Content != nil && (r.Type == nil || string(r.Type) == "null")
}
