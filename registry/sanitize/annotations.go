package sanitize

import (
	"encoding/json"
	"slices"
)

// Annotations keeps those of a resource's annotations that MCP defines and that have the right types; nil if there
// are none.
func Annotations(raw json.RawMessage) json.RawMessage {
	var members fields
	if len(raw) == 0 || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	clean := fields{}
	if list, ok := stringList(members["audience"]); ok {
		list = slices.DeleteFunc(list, func(s string) bool { return s != "user" && s != "assistant" })
		clean["audience"] = Encode(list[:min(len(list), 2)])
	}
	var priority float64
	if members["priority"] != nil && json.Unmarshal(members["priority"], &priority) == nil &&
		priority >= 0 && priority <= 1 {
		clean["priority"] = Encode(priority)
	}
	var modified string
	if members["lastModified"] != nil && json.Unmarshal(members["lastModified"], &modified) == nil {
		clean["lastModified"] = Encode(Text(modified, 64))
	}
	if len(clean) == 0 {
		return nil
	}
	return Encode(clean)
}
