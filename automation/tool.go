package automation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"webmcphub/automation/schema"
	"webmcphub/internal/browsertool"
	"webmcphub/registry/sanitize"
)

// Category is a group of tools that --automation can enable.
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

// Categories returns all categories but [WebMCP].
func Categories() []Category {
	return []Category{Input, Navigation, Emulation, Performance, Network, Debugging}
}

// WebMCP is the category of the hub's tools that list and call the tools of pages. --automation accepts its name, but
// the category is always enabled.
const WebMCP Category = "webmcp"

// ParseCategories parses the values of --automation: names of categories, or "all". The result has each category
// once, in the order of [Categories].
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

// Effect says what a tool does to the page or the browser. The tool's annotations follow from it, and whether a
// client that doesn't own the tab may call the tool.
type Effect int

const (
	Reads       Effect = iota // changes nothing
	Chooses                   // changes what this client, or this debugging session, sees
	Acts                      // does to the page what a user could do, or loads another page
	Irrevocably               // as Acts, but what it ends can't be restored
)

// Tool is one browser tool. Callers must not modify it.
type Tool struct {
	Name        string
	Title       string
	Category    Category
	Description string
	Args        schema.Object   // see [schema.Of]
	Input       json.RawMessage // the JSON Schema of Args
	Effect      Effect
	// OpenWorld says that the tool may reach anything on the web, or that its answer contains what pages say.
	OpenWorld bool
	// Idempotent says that a second call with the same arguments has no further effect.
	Idempotent bool
	// Tabs says that the tool is about the list of tabs. In focus mode, clients have other tools for that.
	Tabs bool

	// earlier changes arguments of earlier spellings in place; it may be nil.
	earlier func(args map[string]json.RawMessage)
	run     handler
}

// handler carries out calls of a tool that has these arguments.
type handler struct {
	args schema.Object
	call func(r *Request, ctx context.Context) (*Result, error)
}

// with makes the handler of a tool whose arguments are an A.
func with[A any](handle func(*Request, context.Context, A) (*Result, error)) handler {
	return handler{schema.Of[A](), func(r *Request, ctx context.Context) (*Result, error) {
		var a A
		if err := schema.Decode(r.Args, &a); err != nil {
			return nil, fmt.Errorf("nothing was done: %w", err)
		}
		return handle(r, ctx, a)
	}}
}

// onPage makes the handler of a tool that works on a page. It opens the page.
func onPage[A interface{ page() *int }](handle func(*Request, context.Context, *opened, A) (*Result, error)) handler {
	return with(func(r *Request, ctx context.Context, a A) (*Result, error) {
		p, err := r.page(ctx, a.page())
		if err != nil {
			return nil, err
		}
		return handle(r, ctx, p, a)
	})
}

// Offered returns the tool as the MCP server lists it.
func (t *Tool) Offered() browsertool.Tool {
	is := t.Annotations()
	return browsertool.Tool{Name: t.Name, Input: t.Input, Encoded: t.Encoded(), ReadOnly: is.ReadOnly,
		Destructive: is.Destructive, Tabs: t.Tabs, Arguments: t.Arguments}
}

// Annotations returns the tool's MCP ToolAnnotations, without the title.
func (t *Tool) Annotations() schema.Annotations {
	return schema.Annotations{ReadOnly: t.Effect == Reads, Destructive: t.Effect >= Acts, Idempotent: t.Idempotent ||
		t.Effect == Reads, OpenWorld: t.OpenWorld}
}

// Encoded returns the whole MCP Tool object as JSON, with the schema as agents read it.
func (t *Tool) Encoded() json.RawMessage {
	return sanitize.Encode(struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations json.RawMessage `json:"annotations"`
	}{t.Name, t.Title, t.Description, t.Args.Listed(), t.Annotations().Stated()})
}

// Arguments rewrites arguments in spellings that chrome-devtools-mcp had earlier to those of the tool's schema. If
// args is not a JSON object, Arguments returns it unchanged.
func (t *Tool) Arguments(args json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil || members == nil {
		return args
	}
	if page, old := members["pageIdx"]; old && members["pageId"] == nil && t.Args.Has("pageId") &&
		!t.Args.Has("pageIdx") {
		members["pageId"] = page
		delete(members, "pageIdx")
	}
	if t.earlier != nil {
		t.earlier(members)
	}
	return sanitize.Encode(members)
}
