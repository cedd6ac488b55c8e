package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"webmcphub/registry"
	"webmcphub/registry/advice"
	"webmcphub/registry/focus"
	"webmcphub/registry/mcpserver/lens"
	"webmcphub/registry/mcpserver/wire"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// staticTool is one of the server's own tools.
type staticTool struct {
	focus.Tool
	run func(ctx context.Context, c ToolCall) wire.Reply
}

const (
	listInput = `{"type":"object","properties":{"page":{"type":"integer","minimum":0,"description":"Index of one page; without it, all pages."}}}`

	listOutput = `{"type":"object","properties":{` +
		`"browser":{"type":"string","description":"What is the matter with the browser; absent if nothing."},` +
		`"sites":{"type":"array","description":"Tools that go to whichever tab of their site has them; absent if there are none.","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The name to call."},"tool":{"type":"string"},"site":{"type":"string"},"tabs":{"type":"integer","description":"How many open tabs have it."},` +
		`"cached":{"type":"boolean","description":"No open tab has it; a call opens one."},"description":{"type":"string"},"inputSchema":{"type":"object"},` + listedHints + `},` +
		`"required":["name","tool","site","tabs","description","inputSchema"]}},` +
		listedPages + `},"required":["pages"]}`

	listedHints = `"annotations":{"type":"object","description":"What the page says of the tool; nobody has checked it."},` +
		`"claimed":{"type":"object","description":"What the page also claims and the hub keeps out of the tool's annotations, because it is not to be relied on."}`

	listedPages = `"pages":{"type":"array","items":{"type":"object","properties":{` +
		`"page":{"type":"integer","description":"The page's index."},` +
		`"tabId":{"type":"integer","description":"A number that the page keeps for life."},` +
		`"url":{"type":"string"},"origin":{"type":"string","description":"The page's origin, where that is not its address's; null is an opaque one."},"title":{"type":"string"},` +
		`"state":{"type":"string","description":"What ails the page; absent if nothing."},` +
		`"tools":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The name to call."},` +
		`"tool":{"type":"string","description":"The page's own name for it."},` +
		`"origin":{"type":"string","description":"Whose tool it is, if it is that of a frame from another origin; absent if it is the page's own."},` +
		`"description":{"type":"string"},"inputSchema":{"type":"object"},` + listedHints + `},` +
		`"required":["name","tool","description","inputSchema"]}},` +
		`"refused":{"type":"array","items":{"type":"object","properties":{"tool":{"type":"string"},"why":{"type":"string"}},"required":["tool","why"]}}},` +
		`"required":["page","tabId","url","title","tools","refused"]}}`

	callInput = `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The tool's full name from list_webmcp_tools, or the page's own name for it."},` +
		`"page":{"type":"integer","minimum":0,"description":"Index of the page, where several pages have a tool of that name."},` +
		`"arguments":{"type":"object","description":"The tool's arguments, by its inputSchema."}},"required":["name"]}`
)

// staticTools are always there, whatever pages do, in the order of their names.
func staticTools(s *Handler) []staticTool {
	return []staticTool{
		s.stepsTool(),
		{focus.NewTool("call_webmcp_tool",
			"Calls a tool of an open web page. Use it for tools from list_webmcp_tools that are not in your own tool list.",
			callInput, "", `{"openWorldHint":true}`), s.callByName},
		{focus.NewTool("list_webmcp_tools",
			"Lists the open web pages and the tools that each offers now, with their input schemas. Always up to date, also if your own tool list is not.",
			listInput, listOutput, `{"readOnlyHint":true,"openWorldHint":false}`), s.listPages},
	}
}

func byToolName(a, b staticTool) int { return strings.Compare(a.Name, b.Name) }

// staticArguments are the arguments of these tools. Page is a float64 because
// JSON's 1.0 is an integer too.
type staticArguments struct {
	Name      string          `json:"name"`
	Page      *float64        `json:"page"`
	Arguments json.RawMessage `json:"arguments"`
}

func (s *Handler) staticArguments(c ToolCall, schema string) (a staticArguments, wrong string) {
	wrong = s.readArguments(c, json.RawMessage(schema), &a)
	return a, wrong
}

// readArguments reads the arguments of one of our own tools, or says what is
// wrong with them.
func (s *Handler) readArguments(c ToolCall, schema json.RawMessage, into any) (wrong string) {
	args, wrong := objectArguments(c.Args)
	if wrong == "" {
		wrong = s.schemas.Check(schema, args)
	}
	if wrong == "" && json.Unmarshal(args, into) != nil {
		wrong = "The arguments don't match the tool's schema."
	}
	return wrong
}

// listPages is list_webmcp_tools.
func (s *Handler) listPages(ctx context.Context, c ToolCall) wire.Reply {
	a, wrong := s.staticArguments(c, listInput)
	if wrong != "" {
		return done(sanitize.ErrorResult(wrong))
	}
	_ = c.needBrowser(ctx, s) // the list says what is the matter with it
	titles := s.titles(ctx)
	now := c.Client.Lens.Catalog(s.Current.Load())
	titled, to := now.Catalog.Titled(titles), s.Audience(c.Client)
	switch {
	case a.Page == nil && titled == now.Catalog && c.Client.Lens.View().Mode == lens.AllTabs:
		return c.Client.Reads(done(now.Overview()), lens.Seen{Catalog: now.Catalog})
	case a.Page == nil:
		return c.Client.Reads(done(overview(titled, titled.Tabs(), to)), lens.Seen{Catalog: now.Catalog})
	}
	tab := tabAt(titled, int(*a.Page))
	if tab == nil {
		return done(noPage(titled, int(*a.Page), to))
	}
	one := overview(titled, []*registry.Tab{tab}, to)
	return c.Client.Reads(done(one), lens.Seen{Catalog: now.Catalog, Page: tab.Page})
}

func tabAt(c *registry.Catalog, index int) *registry.Tab {
	i := slices.IndexFunc(c.Tabs(), func(t *registry.Tab) bool { return t.Index == index })
	if i < 0 {
		return nil
	}
	return c.Tabs()[i]
}

func noPage(c *registry.Catalog, index int, to advice.Audience) registry.Result {
	if status := c.BrowserStatus(); status != "" {
		return sanitize.ErrorResult(fmt.Sprintf("There is no page %d: %s", index, to.Status(status)))
	}
	if len(c.Tabs()) == 0 {
		return sanitize.ErrorResult(fmt.Sprintf("There is no page %d: no page is open.", index))
	}
	open := sanitize.List(c.Tabs(), 20, func(t *registry.Tab) string { return fmt.Sprintf("%d (%s)", t.Index, sanitize.Text(t.URL, 100)) })
	return sanitize.ErrorResult(fmt.Sprintf("There is no page %d. Open pages: %s.", index, open))
}

// The structured result of list_webmcp_tools.
type (
	overviewJSON struct {
		Browser string     `json:"browser,omitempty"`
		Sites   []siteJSON `json:"sites,omitempty"`
		Pages   []pageJSON `json:"pages"`
	}
	siteJSON struct {
		Site   string `json:"site"`
		Tabs   int    `json:"tabs"`
		Cached bool   `json:"cached,omitempty"`
		toolJSON
	}
	pageJSON struct {
		Page    int           `json:"page"`
		TabID   int           `json:"tabId"`
		URL     string        `json:"url"`
		Origin  string        `json:"origin,omitempty"`
		Title   string        `json:"title"`
		State   string        `json:"state,omitempty"`
		Tools   []toolJSON    `json:"tools"`
		Refused []refusalJSON `json:"refused"`
	}
	toolJSON struct {
		Name        string          `json:"name"`
		Tool        string          `json:"tool"`
		Origin      string          `json:"origin,omitempty"` // of a frame
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations json.RawMessage `json:"annotations,omitempty"`
		Claimed     json.RawMessage `json:"claimed,omitempty"`
	}
	refusalJSON struct {
		Tool string `json:"tool"`
		Why  string `json:"why"`
	}
)

// overall is list_webmcp_tools without arguments, for clients that see all tabs.
func (s *Handler) overall(c *registry.Catalog) registry.Result {
	return overview(c, c.Tabs(), s.options.allTabsAudience())
}

func overview(c *registry.Catalog, tabs []*registry.Tab, to advice.Audience) registry.Result {
	o := overviewJSON{Browser: to.Status(c.BrowserStatus()), Pages: describe(tabs, to)}
	if len(tabs) == len(c.Tabs()) {
		for _, t := range c.Routed() {
			o.Sites = append(o.Sites, siteJSON{t.Routed.Site, t.Routed.Tabs, t.Routed.Cached, describeTool(t)})
		}
	}
	return sanitize.StructuredResult(o)
}

func describeTool(t *registry.HubTool) toolJSON {
	return toolJSON{t.Name, t.Route.Tool, t.FrameOrigin(), t.Description, t.InputSchema, t.Annotations(), t.ClaimedAnnotations()}
}

func describe(tabs []*registry.Tab, to advice.Audience) []pageJSON {
	pages := make([]pageJSON, len(tabs))
	for i, t := range tabs {
		p := pageJSON{
			Page:    t.Index,
			TabID:   int(t.ID),
			URL:     sanitize.Text(t.URL, 2048),
			Title:   sanitize.Text(t.Title, 256),
			State:   to.State(t.Condition()),
			Tools:   make([]toolJSON, len(t.Tools)),
			Refused: make([]refusalJSON, len(t.Refused)),
		}
		if t.Origin != names.DocumentOrigin("", t.URL) {
			p.Origin = t.Origin
		}
		for j, tool := range t.Tools {
			p.Tools[j] = describeTool(tool)
		}
		for j, r := range t.Refused {
			p.Refused[j] = refusalJSON(r)
		}
		pages[i] = p
	}
	return pages
}
