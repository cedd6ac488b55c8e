package arguments

import (
	"bytes"
	"encoding/json"

	"webmcphub/registry/sanitize"
)

// Object returns {} if there are no arguments. It says what is wrong with arguments that are no object.
func Object(args json.RawMessage) (object json.RawMessage, wrong string) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}"), ""
	}
	if args[0] != '{' {
		return nil, "The arguments must be a JSON object, not " + jsonType(args) + "."
	}
	if sanitize.WildNumber(args) {
		return nil, "The arguments have a number that is out of range."
	}
	return args, ""
}

func jsonType(raw json.RawMessage) string {
	switch raw[0] {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}
