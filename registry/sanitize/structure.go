package sanitize

import (
	"bytes"
	"encoding/json"
)

// Structure returns text as JSON if it is an object or an array. Otherwise, or if it is nested too deeply to be passed
// on as a structure, it returns nil.
func Structure(text string) json.RawMessage {
	tree := bytes.TrimSpace([]byte(text))
	if len(tree) == 0 || tree[0] != '{' && tree[0] != '[' || NestedDeeper(tree, MaxResultDepth) ||
		!json.Valid(tree) {
		return nil
	}
	return tree
}
