package schema

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Lacking returns a schema made by [Object] without some of its properties.
func Lacking(input json.RawMessage, names ...string) json.RawMessage {
	var has struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(input, &has) != nil {
		return input
	}
	var fields []Field
	members := json.NewDecoder(bytes.NewReader(has.Properties)) // keeps their order
	_, _ = members.Token()
	for members.More() {
		key, err := members.Token()
		var is json.RawMessage
		if name, ok := key.(string); err != nil || !ok || members.Decode(&is) != nil {
			return input
		} else if !slices.Contains(names, name) {
			fields = append(fields, Field{Name: name, Schema: string(is),
				Required: slices.Contains(has.Required, name)})
		}
	}
	return Object(fields...)
}
