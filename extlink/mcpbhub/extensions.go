package mcpbhub

import (
	"encoding/json"
	"maps"
	"strings"
)

// ExtensionsKey is the key in the _meta of a tool or a result under which MCP
// clients find the extensions that a proxy gave beside its _meta.
const ExtensionsKey = "mcp-b/extensions"

// extended puts extensions into a _meta, under [ExtensionsKey]; neither has to
// be there. What is no object is none.
func extended(meta, extensions json.RawMessage) json.RawMessage {
	if !isObject(extensions) {
		if !isObject(meta) {
			return nil
		}
		return meta
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(meta, &members) != nil || members == nil {
		members = map[string]json.RawMessage{}
	}
	members[ExtensionsKey] = extensions
	raw, _ := json.Marshal(members) // they were read a moment ago
	return raw
}

// extensionOnly are the members of a tool that the extension adds to what pages
// say, in lower case: names of members are read whatever their case.
var extensionOnly = map[string]bool{"frameid": true, "frameurl": true, "doc": true, "runtime": true, "origin": true}

// extendedTools is extended for each of a list of tools. What only the
// extension may say of a tool, such as that the hub made it, is taken out: a
// proxy passes on what its page says. Other tools stay as they are.
func extendedTools(tools json.RawMessage) json.RawMessage {
	var all []json.RawMessage
	if json.Unmarshal(tools, &all) != nil {
		return tools
	}
	for i, raw := range all {
		var tool map[string]json.RawMessage
		if json.Unmarshal(raw, &tool) != nil {
			continue
		}
		members := len(tool)
		maps.DeleteFunc(tool, func(name string, _ json.RawMessage) bool { return extensionOnly[strings.ToLower(name)] })
		extends := isObject(tool["extensions"])
		if extends {
			tool["_meta"] = extended(tool["_meta"], tool["extensions"])
			delete(tool, "extensions")
		}
		if extends || len(tool) < members {
			all[i], _ = json.Marshal(tool)
		}
	}
	raw, _ := json.Marshal(all)
	return raw
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
