package offer

import (
	"encoding/json"
	"webmcphub/registry/sanitize"
)

// encodeTool gives MCP's Tool object, as a list shows it. The schemas, the
// annotations and meta are JSON text without line breaks.
func encodeTool(name, title, description string, input, output, annotations, meta json.RawMessage) json.RawMessage {
	const names = `{"name":"","title":"","description":"","inputSchema":,"outputSchema":,"annotations":,"_meta":}`
	to := make([]byte, 0, len(names)+len(name)+len(title)+len(description)+len(input)+len(output)+len(annotations)+len(meta))
	to = appendMember(to, `{"name":`, name)
	if title != "" {
		to = appendMember(to, `,"title":`, title)
	}
	to = appendMember(to, `,"description":`, description)
	to = append(append(to, `,"inputSchema":`...), input...)
	if output != nil {
		to = append(append(to, `,"outputSchema":`...), output...)
	}
	if annotations != nil {
		to = append(append(to, `,"annotations":`...), annotations...)
	}
	to = append(append(to, `,"_meta":`...), meta...)
	return append(to, '}')
}

// appendMember appends a member's name, with what goes before it, and its value.
func appendMember(to []byte, name, value string) []byte {
	return sanitize.AppendJSON(append(to, name...), value)
}
