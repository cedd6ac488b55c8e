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
	"webmcphub/registry/mcpserver/wire"
	"webmcphub/registry/sanitize"
)

// staticTool is one of the server's own tools.
type staticTool struct {
	focus.Tool
	run func(ctx context.Context, c ToolCall) wire.Reply
}

const (
	listInput = `{"type":"object","properties":{` +
		`"tab":{"type":"integer","description":"Id of one tab; without it, all."},` +
		`"page":{"type":"integer","minimum":0,"description":"Index of one page, whose tools are then all shown in full."},` +
		`"detail":{"type":"string","enum":["names","signature","full"],"description":"Of each tool. Default: as much as fits."},` +
		`"maxTokens":{"type":"integer","minimum":0,"description":"Length of the answer, estimated. Default: 10000, of the overview 2000; 0: no limit."},` +
		`"cursor":{"type":"string","description":"nextCursor of the answer before."}}}`

	listOutput = `{"type":"object","properties":{` +
		`"browser":{"type":"string","description":"What is the matter with the browser; absent if nothing."},` +
		`"sites":{"type":"array","description":"Tools that go to whichever tab of their site has them; absent if there are none.","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The name to call."},"tool":{"type":"string"},"site":{"type":"string"},"tabs":{"type":"integer","description":"How many open tabs have it."},` +
		`"cached":{"type":"boolean","description":"No open tab has it; a call opens one."},"signature":{"type":"string"},"description":{"type":"string"},"inputSchema":{"type":"object"},` + listedHints + `},` +
		`"required":["name","site","tabs"]}},` +
		listedPages + `"required":["name"]}}` + pagesEnd + `,` +
		`"tabs":{"type":"array","description":"In place of pages where these are too long: of each tab its id, site, number of tools and title.","items":{"type":"string"}},` +
		`"detail":{"type":"string","description":"How much of each tool is shown, if it may not be all."},` +
		`"tokens":{"type":"integer","description":"About how long this is."},` +
		`"nextCursor":{"type":"string","description":"Where this part of the list ends; absent at its end."},` +
		`"note":{"type":"string"}}}`

	listedHints = `"annotations":{"type":"object","description":"What the page says of the tool; nobody has checked it."},` +
		`"claimed":{"type":"object","description":"What the page also claims and the hub keeps out of the tool's annotations, because it is not to be relied on."}`

	// What comes between is which of a tool's members are required.
	listedPages = `"pages":{"type":"array","items":{"type":"object","properties":{` +
		`"page":{"type":"integer","description":"The page's index."},` +
		`"tabId":{"type":"integer","description":"A number that the page keeps for life."},` +
		`"url":{"type":"string"},"origin":{"type":"string","description":"The page's origin, where that is not its address's; null is an opaque one."},"title":{"type":"string"},` +
		`"state":{"type":"string","description":"What ails the page; absent if nothing."},` +
		`"tools":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The name to call."},` +
		`"tool":{"type":"string","description":"The page's own name for it."},` +
		`"origin":{"type":"string","description":"Whose tool it is, if it is that of a frame from another origin; absent if it is the page's own."},` +
		`"signature":{"type":"string"},"description":{"type":"string"},"inputSchema":{"type":"object"},` + listedHints + `},`
	pagesEnd = `,"refused":{"type":"array","items":{"type":"object","properties":{"tool":{"type":"string"},"why":{"type":"string"}},"required":["tool","why"]}}},` +
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
			"Lists the open web pages and the tools that each offers now, with their input schemas where these are not too long together. Always up to date, also if your own tool list is not.",
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
