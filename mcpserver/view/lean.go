package view

import (
	"encoding/json"
	"strings"

	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// few says of each of the hub's own tools what an agent must know, in few words: what it
// does, and of its parameters those that their names don't explain.
var few = map[string]struct {
	does   string
	params map[string]string
}{
	"call_webmcp_tool": {"Calls a page's tool.", map[string]string{
		"name": "From find or list"}},
	"call_webmcp_tools": {`Calls several tools, on different tabs at the same time. {"$ref":"x.id"} as an argument is id in the result of the step called x.`, map[string]string{
		"return": "Paths to get, not whole results"}},
	"close_tab":         {"Closes a tab, by default the focused one.", nil},
	"connect_browser":   {"Connects to the browser, or launches one.", nil},
	"connect_webmcp":    {"Connects to a page's tools; without page, the focused tab's or all pages'.", nil},
	"disconnect_webmcp": {"Lets go of a page, for all clients.", nil},
	"find_webmcp_tools": {"Finds pages' tools by what you want to do.", nil},
	"focus_tab": {"Chooses a tab and brings it to the front.",
		map[string]string{"exclusive": "Keep other clients' calls out"}},
	"list_tabs": {"Lists the open tabs.", nil},
	"list_webmcp_tools": {"Lists open pages and their tools, in as much detail as fits.",
		map[string]string{"tab": "Id", "page": "Index", "cursor": "nextCursor"}},
	"open_tab":    {"Opens an address in a new tab.", nil},
	"read_result": {"Reads on in a result that was cut.", nil},
}

// Lean is one of the hub's own tools as the static list has it: without an output schema,
// hints that say what is true anyway, and words that can be spared. It takes the same
// arguments. A tool that few doesn't know keeps its words.
func LeanTool(t focus.Tool) json.RawMessage {
	if t.Description == "" { // a browser tool, which is in few words anyway
		return t.Encoded
	}
	is := struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations map[string]bool `json:"annotations,omitempty"`
		Meta        json.RawMessage `json:"_meta,omitempty"`
	}{t.Name, t.Description, t.InputSchema, hints(t.Annotations), t.Meta}
	if brief, known := few[t.Name]; known {
		is.Description = brief.does
		is.InputSchema = stripped(t.InputSchema, brief.params)
	}
	return sanitize.Encode(is)
}

// InView are the tools by which all others are found and called: clients that defer tools
// are asked to keep these in view.
var InView = []string{"call_webmcp_tool", "call_webmcp_tools", "find_webmcp_tools", "list_webmcp_tools"}

// KeepInView is the _meta that asks for it. Claude Code reads it: docs/tool-lists.md names a version that
// heeds it. Pages can't set it, see [sanitize.MetaKeys].
var KeepInView = json.RawMessage(`{"anthropic/alwaysLoad":true}`)

// hints are those that don't hold of a tool without any. What only reads destroys nothing.
func hints(annotations json.RawMessage) map[string]bool {
	var said map[string]bool
	if json.Unmarshal(annotations, &said) != nil {
		return nil
	}
	readOnly := said["readOnlyHint"]
	usual := map[string]bool{"readOnlyHint": false, "destructiveHint": !readOnly, "idempotentHint": false,
		"openWorldHint": true}
	for name, is := range said {
		if is == usual[name] || readOnly && (name == "destructiveHint" || name == "idempotentHint") {
			delete(said, name)
		}
	}
	return said
}

// stripped is an input schema without what is only told, but for these descriptions of
// parameters.
func stripped(schema json.RawMessage, params map[string]string) json.RawMessage {
	var s any
	if json.Unmarshal(schema, &s) != nil {
		return schema
	}
	strip(s)
	if root, is := s.(map[string]any); is {
		if properties, is := root["properties"].(map[string]any); is {
			for name, says := range params {
				if p, is := properties[name].(map[string]any); is {
					p["description"] = says
				}
			}
			if len(properties) == 0 {
				delete(root, "properties")
			}
		}
	}
	return sanitize.Encode(s)
}

// told are the keywords of a schema that allow and forbid nothing, and the least number,
// which goes without saying. The greatest one doesn't.
var told = []string{"description", "default", "minimum"}

func strip(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		for _, keyword := range told {
			if _, nested := s[keyword].(map[string]any); !nested { // else it is a property of that name
				delete(s, keyword)
			}
		}
		for _, inner := range s {
			strip(inner)
		}
	case []any:
		for _, inner := range s {
			strip(inner)
		}
	}
}

// Instructions tell an agent with the static list how to find and call tools. has says
// whether there is one of the hub's own tools.
func Instructions(has func(tool string) bool) string {
	text := []string{"This server reaches the tools that open web pages provide (WebMCP). They are not in your own " +
		"list, which never changes."}
	if has("find_webmcp_tools") {
		text = append(text, "To find one, call find_webmcp_tools with what you want to do; list_webmcp_tools shows "+
			"which tabs there are and all tools of one.")
	} else {
		text = append(text, "list_webmcp_tools shows which tabs there are, and with tab all tools of one.")
	}
	text = append(text, "Call it by the name you find: call_webmcp_tool for one call, call_webmcp_tools for several "+
		"steps at once. detail full shows a tool's schema.")
	text = append(text, "If a call says that a tool is gone, find it again: pages change.")
	return strings.Join(text, " ")
}
