package mcpbhub

import (
	"encoding/json"

	"webmcphub/internal/jsonrpc"
)

// ExtensionsKey is the key in the _meta of a tool or a result under which MCP
// clients find the extensions that a proxy gave beside its _meta.
const ExtensionsKey = "mcp-b/extensions"

// extended puts extensions into a _meta, under [ExtensionsKey]; neither has to
// be there. What is no object is none.
func extended(meta, extensions json.RawMessage) json.RawMessage {
	if !jsonrpc.IsObject(meta) {
		meta = nil
	}
	if !jsonrpc.IsObject(extensions) {
		return meta
	}
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(meta, &members) // nil is none
	members[ExtensionsKey] = extensions
	raw, _ := json.Marshal(members) // they were read a moment ago
	return raw
}
