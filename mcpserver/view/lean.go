package view

import (
	"encoding/json"
	"strings"

	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// few holds short descriptions of the hub's own tools: what each does, and only those of its parameters that their
// names don't explain.
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

// LeanTool returns one of the hub's own tools as the static list contains it: without an output schema, without
// annotations that have their default values, and with short descriptions. The tool takes the same arguments. A tool
// that is not in few keeps its descriptions.
func LeanTool(t focus.Tool) json.RawMessage {
	if t.Description == "" { // a browser tool, whose description is short anyway
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

// InView names the tools by which a client finds and calls all others. The hub asks clients that defer loading tools
// to always load these.
var InView = []string{"call_webmcp_tool", "call_webmcp_tools", "find_webmcp_tools", "list_webmcp_tools"}

// KeepInView is the _meta of a tool that asks clients to always load the tool. Claude Code reads it:
// docs/tool-lists.md names a version that heeds it. Pages can't set it, see [sanitize.MetaKeys].
var KeepInView = json.RawMessage(`{"anthropic/alwaysLoad":true}`)

// hints returns the annotations that differ from their defaults. For a read-only tool it also drops destructiveHint
// and idempotentHint, which mean nothing there.
func hints(annotations json.RawMessage) map[string]bool {
	var values map[string]bool
	if json.Unmarshal(annotations, &values) != nil {
		return nil
	}
	readOnly := values["readOnlyHint"]
	usual := map[string]bool{"readOnlyHint": false, "destructiveHint": !readOnly, "idempotentHint": false,
		"openWorldHint": true}
	for name, is := range values {
		if is == usual[name] || readOnly && (name == "destructiveHint" || name == "idempotentHint") {
			delete(values, name)
		}
	}
	return values
}

// stripped returns an input schema without keywords that only describe, except for these descriptions of parameters.
func stripped(schema json.RawMessage, params map[string]string) json.RawMessage {
	var s any
	if json.Unmarshal(schema, &s) != nil {
		return schema
	}
	strip(s)
	if root, is := s.(map[string]any); is {
		if properties, is := root["properties"].(map[string]any); is {
			for name, description := range params {
				if p, is := properties[name].(map[string]any); is {
					p["description"] = description
				}
			}
			if len(properties) == 0 {
				delete(root, "properties")
			}
		}
	}
	return sanitize.Encode(s)
}

// annotations names the keywords of a schema that neither allow nor forbid anything, and minimum, which is obvious for
// the hub's own tools. maximum is not.
var annotations = []string{"description", "default", "minimum"}

func strip(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		for _, keyword := range annotations {
			if _, nested := s[keyword].(map[string]any); !nested { // otherwise it is a property of that name
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

// Instructions returns the text that tells an agent with the static list how to find and call tools. has reports
// whether the hub offers one of its own tools.
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
