package automation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"webmcphub/automation/schema"
	"webmcphub/registry/sanitize"
)

// A Category is a group of tools that --automation names.
type Category string

// The categories, in the order of the documentation.
const (
	Input       Category = "input"
	Navigation  Category = "navigation"
	Emulation   Category = "emulation"
	Performance Category = "performance"
	Network     Category = "network"
	Debugging   Category = "debugging"
)

// Categories are all of them.
func Categories() []Category {
	return []Category{Input, Navigation, Emulation, Performance, Network, Debugging}
}

// WebMCP is the category of the hub's tools for pages' own tools. It may be named
// with the others, and is always on.
const WebMCP Category = "webmcp"

// ParseCategories reads what --automation gives: names of categories, or "all". However they
// were named, the categories come in the order of [Categories], each once.
func ParseCategories(given []string) ([]Category, error) {
	var on []Category
	for _, name := range given {
		switch c := Category(strings.TrimSpace(name)); {
		case c == "all" || c == "true":
			return Categories(), nil
		case c == WebMCP:
		case slices.Contains(Categories(), c):
			if !slices.Contains(on, c) {
				on = append(on, c)
			}
		default:
			return nil, fmt.Errorf("%q is no category of browser tools; there are %s, and all", name,
				joined(append(Categories(), WebMCP)))
		}
	}
	all := Categories()
	slices.SortFunc(on, func(a, b Category) int { return cmp.Compare(slices.Index(all, a), slices.Index(all, b)) })
	return on, nil
}

func joined(all []Category) string {
	var names []string
	for _, c := range all {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// Effect says what a tool does to the page or the browser, for its annotations and
// for what is asked of a client that doesn't own the tab.
type Effect int

const (
	Reads       Effect = iota // changes nothing
	Chooses                   // changes what this client, or this debugging session, sees
	Acts                      // does to the page what a user could do, or loads another
	Irrevocably               // as Acts, and what it ends is gone
)

// Tool is one browser tool. It must not be modified.
type Tool struct {
	Name        string
	Title       string
	Category    Category
	Description string
	Input       json.RawMessage // a JSON Schema without additional properties
	Effect      Effect
	// OpenWorld says that it may reach whatever there is on the web, or that its
	// answer has what pages say.
	OpenWorld bool
	// Idempotent says that a second call with the same arguments does nothing more.
	Idempotent bool
	// Tabs says that the tool is about the list of tabs. Clients that choose their
	// tab in another way (focus mode) have tools of that way.
	Tabs bool

	// earlier rewrites arguments of earlier spellings, in place; may be nil.
	earlier func(args map[string]json.RawMessage)
	run     func(r *Request, ctx context.Context) (*Result, error)
}

// Annotations are MCP's ToolAnnotations; the title is the tool's.
func (t *Tool) Annotations() schema.Annotations {
	return schema.Annotations{ReadOnly: t.Effect == Reads, Destructive: t.Effect >= Acts, Idempotent: t.Idempotent ||
		t.Effect == Reads, OpenWorld: t.OpenWorld}
}

// Encoded is the whole MCP Tool object, with the schema as agents read it.
func (t *Tool) Encoded() json.RawMessage {
	return sanitize.Encode(struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations json.RawMessage `json:"annotations"`
	}{t.Name, t.Title, t.Description, schema.Listed(t.Input), t.Annotations().Stated()})
}

// Arguments gives the call's arguments as the tool's schema has them today, made
// from spellings that chrome-devtools-mcp had before. args is an object; what isn't
// is given back as it is.
func (t *Tool) Arguments(args json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil || members == nil {
		return args
	}
	if page, old := members["pageIdx"]; old && members["pageId"] == nil && schema.HasProperty(t.Input, "pageId") &&
		!schema.HasProperty(t.Input, "pageIdx") {
		members["pageId"] = page
		delete(members, "pageIdx")
	}
	if t.earlier != nil {
		t.earlier(members)
	}
	return sanitize.Encode(members)
}
