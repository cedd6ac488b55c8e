package mcpbhub

import (
	"encoding/json"

	"webmcphub/internal/jsonrpc"
)

// The methods.
const (
	registerTools = "browser/registerTools"
	updateTools   = "browser/updateTools"
	executeTool   = "browser/executeTool"

	// elicitConfirmation is a name that MCP-B reserves without defining params. Here its params and its answer are
	// those of MCP's elicitation/create.
	elicitConfirmation = "browser/elicitConfirmation"

	// The methods of MCP itself.
	elicit    = "elicitation/create"
	sample    = "sampling/createMessage"
	listRoots = "roots/list"
	progress  = "notifications/progress"
	cancelled = "notifications/cancelled"
)

// TabNotFound is MCP-B's error code for a peer that has no tab any more.
const TabNotFound = -32001

// registration has the params of registerTools and updateTools.
type registration struct {
	Tools      json.RawMessage            `json:"tools"`
	TabURL     *string                    `json:"tabUrl"`
	Extensions map[string]json.RawMessage `json:"extensions"`
}

// registered is the result of registerTools and updateTools, if the proxy asked for one.
type registered struct {
	Refused []refusedTool `json:"refused,omitempty"`
}

// refusedTool is a tool that was left out.
type refusedTool struct {
	Name string `json:"name,omitempty"` // cut to 128 bytes
	Why  string `json:"why"`
}

// execution has the params of executeTool.
type execution struct {
	ToolName   string                     `json:"toolName"`
	Args       json.RawMessage            `json:"args"`
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
	Meta       json.RawMessage            `json:"_meta,omitempty"`
}

// executed is the result of executeTool.
type executed struct {
	Success    *bool           `json:"success"`
	Payload    json.RawMessage `json:"payload"`
	Meta       json.RawMessage `json:"_meta"`
	Extensions json.RawMessage `json:"extensions"`
}

// ExtensionsKey is the key in the _meta of a tool or a result under which MCP clients find the extensions that a
// proxy sent beside its _meta.
const ExtensionsKey = "mcp-b/extensions"

// extended adds extensions to a _meta, under [ExtensionsKey]. Either may be missing; a value that is no object counts
// as missing.
func extended(meta, extensions json.RawMessage) json.RawMessage {
	if !jsonrpc.IsObject(meta) {
		meta = nil
	}
	if !jsonrpc.IsObject(extensions) {
		return meta
	}
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(meta, &members) // nil leaves it empty
	members[ExtensionsKey] = extensions
	raw, _ := json.Marshal(members) // they were decoded from JSON
	return raw
}
