package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
)

// forPage is what of a call's _meta is meant for whoever runs the tool, or nil:
// not its progressToken, in whose place the hub has its own, and nothing under
// the prefixes that MCP reserves, which is between the client and this server.
func forPage(meta json.RawMessage) json.RawMessage {
	var out []byte
	if len(meta) == 0 {
		return nil
	}
	members(meta, func(name string, value json.RawMessage) {
		if name == "progressToken" || reserved(name) {
			return
		}
		quoted, err := plain(name)
		if err != nil {
			return
		}
		if out == nil {
			out = append(out, '{')
		} else {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted...), ':'), value...)
	})
	if out == nil {
		return nil
	}
	return append(out, '}')
}

// reserved says whether a key of _meta has a prefix that is MCP's own: one whose
// second label is mcp or modelcontextprotocol.
func reserved(key string) bool {
	prefix, _, has := strings.Cut(key, "/")
	labels := strings.Split(prefix, ".")
	return has && len(labels) > 1 && slices.Contains([]string{"mcp", "modelcontextprotocol"}, labels[1])
}
