package registry

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// appendJSON appends s as a JSON string, as mustEncode writes it.
func appendJSON(to []byte, s string) []byte {
	if !plainText(s) {
		return append(to, mustEncode(s)...)
	}
	to = append(to, '"')
	to = append(to, s...)
	return append(to, '"')
}

// plainText says that every character of s stands for itself in JSON text.
func plainText(s string) bool {
	ascii := true
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		} else if c >= utf8.RuneSelf {
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}

// appendMember appends a member's name, with what goes before it, and its value.
func appendMember(to []byte, name, value string) []byte {
	return appendJSON(append(to, name...), value)
}

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
