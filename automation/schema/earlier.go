package schema

import (
	"encoding/json"

	"webmcphub/registry/sanitize"
)

// OneAsList returns a function that rewrites an earlier spelling of arguments: a string in the member was becomes a
// list of one in the member is.
func OneAsList(was, is string) func(args map[string]json.RawMessage) {
	return func(args map[string]json.RawMessage) {
		if one := args[was]; len(one) > 0 && one[0] == '"' && (was == is || args[is] == nil) {
			delete(args, was)
			args[is] = json.RawMessage("[" + string(one) + "]")
		}
	}
}

// UIDsAsTexts returns a function that rewrites an earlier spelling of arguments: a list of {"uid": …} becomes a list
// of the uids.
func UIDsAsTexts(name string) func(args map[string]json.RawMessage) {
	return func(args map[string]json.RawMessage) {
		var elements []json.RawMessage
		if json.Unmarshal(args[name], &elements) != nil {
			return
		}
		for i, e := range elements {
			var was struct {
				UID json.RawMessage `json:"uid"`
			}
			if json.Unmarshal(e, &was) == nil && was.UID != nil {
				elements[i] = was.UID
			}
		}
		args[name] = sanitize.Encode(elements)
	}
}
