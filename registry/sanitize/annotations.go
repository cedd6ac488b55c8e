package sanitize

import (
	"encoding/json"
	"slices"
)

// Annotations keeps those of a resource's annotations that MCP defines and that have the right types; nil if there
// are none.
func Annotations(raw json.RawMessage) json.RawMessage {
	var said fields
	if len(raw) == 0 || json.Unmarshal(raw, &said) != nil {
		return nil
	}
	clean := fields{}
	if list, ok := stringList(said["audience"]); ok {
		list = slices.DeleteFunc(list, func(s string) bool { return s != "user" && s != "assistant" })
		clean["audience"] = Encode(list[:min(len(list), 2)])
	}
	var priority float64
	if said["priority"] != nil && json.Unmarshal(said["priority"], &priority) == nil && priority >= 0 && priority <= 1 {
		clean["priority"] = Encode(priority)
	}
	var modified string
	if said["lastModified"] != nil && json.Unmarshal(said["lastModified"], &modified) == nil {
		clean["lastModified"] = Encode(Text(modified, 64))
	}
	if len(clean) == 0 {
		return nil
	}
	return Encode(clean)
}
