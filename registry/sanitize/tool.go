package sanitize

import (
	"encoding/json"
	"fmt"
)

// MaxToolName is the longest name, in bytes, under which a page may register a tool; WebMCP itself allows 128.
const MaxToolName = 256

// Raw has what a page registered for a tool: two schemas and a _meta.
type Raw struct{ Input, Output, Meta json.RawMessage }

// Tool is the sanitized form of a tool's schemas and _meta. Tools with the same texts share one Tool. It is
// immutable.
type Tool struct {
	Input     json.RawMessage // the input schema for clients: an object with type "object"
	Output    json.RawMessage // the output schema for clients, or nil
	Meta      json.RawMessage // those of the page's own members that pass, or nil; see cleanMeta
	Arguments json.RawMessage // the schema by which arguments are checked, or nil
	Refused   string          // why the tool can't be published; "" if it can

	words pageWords
}

var (
	unnamed   = &Tool{Refused: "it has no name"}
	overnamed = &Tool{Refused: fmt.Sprintf("its name is longer than %d bytes", MaxToolName)}
)

// Tool returns the sanitized form of a tool that a page registered under a name. k are the keys of the page's
// document.
func (c *Cache) Tool(name string, raw Raw, k MetaKeys) *Tool {
	switch {
	case name == "":
		return unnamed
	case len(name) > MaxToolName:
		return overnamed
	}
	return c.tool(raw, k)
}

func newTool(t Raw, k MetaKeys) (clean *Tool) {
	defer func() { // a tool that triggers a bug here is refused, and no other
		if r := recover(); r != nil {
			clean = &Tool{Refused: "the hub failed at checking it (please report this): " + Text(fmt.Sprint(r), 200)}
		}
	}()
	input, words, err := inputSchema(t.Input)
	if err != nil {
		return &Tool{Refused: err.Error()}
	}
	arguments := t.Input
	if WildNumber(arguments) { // comparing with it takes long, so the page checks for itself
		arguments = nil
	}
	return &Tool{Arguments: arguments, Input: input, Output: outputSchema(t.Output),
		Meta: cleanMeta(t.Meta, MaxMeta, k.pass), words: words}
}

// outputSchema returns an output schema that clients accept, and nil for any other: a result without its schema is
// better than no tool.
func outputSchema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || len(raw) > MaxSchema || NestedDeeper(raw, MaxSchemaDepth) || !isObject(raw) {
		return nil
	}
	var root map[string]json.RawMessage
	if json.Unmarshal(raw, &root) != nil || string(root["type"]) != `"object"` {
		return nil
	}
	v, err := decodeAny(raw)
	if err != nil {
		return nil
	}
	scrubs := mayNeedScrub(raw)
	if scrubs {
		v = new(scrubber).of(v, aSubschema)
	}
	switch m, err := mendSchema(v.(map[string]any)); {
	case err != nil:
		return nil
	case m.changed || scrubs:
		return Encode(v)
	}
	return compact(raw)
}
