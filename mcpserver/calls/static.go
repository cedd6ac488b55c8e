package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"webmcphub/mcpserver/arguments"
	"webmcphub/mcpserver/listing"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// staticTool is one of the server's own tools.
type staticTool struct {
	focus.Tool
	run func(ctx context.Context, c ToolCall) wire.Reply
}

const (
	callInput = `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The tool's full name from list_webmcp_tools, or the page's own name for it."},` +
		`"tab":{"type":"integer","minimum":1,"description":"Id of its tab, where several have a tool of that name."},` +
		`"page":{"type":"integer","minimum":0,"description":"The same by the page's index."},` +
		`"arguments":{"type":"object","description":"The tool's arguments, by its inputSchema."}},"required":["name"]}`
)

// staticTools returns the tools that don't depend on pages, sorted by name.
func staticTools(s *Handler) []staticTool {
	listed := listing.ListOutput
	if s.options.Several {
		listed = listing.OutputOfSeveral
	}
	return []staticTool{
		s.stepsTool(),
		s.readResultTool(),
		ownTool(s, focus.NewTool("call_webmcp_tool",
			"Calls a tool of an open web page. Use it for tools from list_webmcp_tools that are not in your own tool list.",
			callInput, "", `{"openWorldHint":true}`), s.callByName),
		ownTool(s, focus.NewTool(listing.FindToolName, listing.Description, listing.FindInput, listing.FindOutput,
			`{"readOnlyHint":true,"openWorldHint":false}`), s.findTools),
		ownTool(s, focus.NewTool("list_webmcp_tools",
			"Lists the open web pages and the tools that each offers now, with their input schemas where these are "+
				"not too long together. Always up to date, also if your own tool list is not.",
			listing.ListInput, listed, `{"readOnlyHint":true,"openWorldHint":false}`), s.listPages),
	}
}

func byToolName(a, b staticTool) int { return strings.Compare(a.Name, b.Name) }

// ownTool returns one of the hub's own tools. run gets the decoded arguments, which satisfy the tool's schema.
func ownTool[A any](s *Handler, t focus.Tool, run func(context.Context, ToolCall, A) wire.Reply) staticTool {
	return staticTool{t, func(ctx context.Context, c ToolCall) wire.Reply {
		var a A
		if wrong := s.readArguments(c, t.InputSchema, &a); wrong != "" {
			return done(sanitize.ErrorResult(wrong))
		}
		return run(ctx, c, a)
	}}
}

// readArguments decodes the arguments of one of the hub's own tools, or says what is wrong with them.
func (s *Handler) readArguments(c ToolCall, schema json.RawMessage, into any) (wrong string) {
	args, wrong := arguments.Object(c.Args)
	if wrong == "" {
		wrong = s.schemas.Check(schema, args)
	}
	if wrong == "" && json.Unmarshal(args, into) != nil {
		wrong = "The arguments don't match the tool's schema."
	}
	return wrong
}

// findTools implements find_webmcp_tools.
func (s *Handler) findTools(ctx context.Context, c ToolCall, a listing.FindArguments) wire.Reply {
	_ = c.needBrowser(ctx, s) // the answer describes the browser's status
	r, seen := s.Finder.Answer(ctx, a, listing.Asker{Session: c.Client.Session(), ClientView: c.Client.View,
		To: s.VisibleToolsFor(c.Client), Kept: func(tab *registry.Tab) bool {
			return s.Leases.Refusal(tab, tab.Page, c.Client) != ""
		}})
	return c.Client.Reads(done(r), seen)
}

func tabAt(c *registry.Catalog, index int) *registry.Tab {
	i := slices.IndexFunc(c.Tabs(), func(t *registry.Tab) bool { return t.Index == index })
	if i < 0 {
		return nil
	}
	return c.Tabs()[i]
}

func noPage(c *registry.Catalog, index int, to registry.VisibleTools) registry.Result {
	if status := c.BrowserStatus(); status != "" {
		return sanitize.ErrorResult(fmt.Sprintf("There is no page %d: %s", index, to.Status(status)))
	}
	if len(c.Tabs()) == 0 {
		return sanitize.ErrorResult(fmt.Sprintf("There is no page %d: no page is open.", index))
	}
	open := sanitize.List(c.Tabs(), 20,
		func(t *registry.Tab) string { return fmt.Sprintf("%d (%s)", t.Index, t.Address.Shown(100)) })
	return sanitize.ErrorResult(fmt.Sprintf("There is no page %d. Open pages: %s.", index, open))
}

// listArguments are the arguments of list_webmcp_tools.
type listArguments struct {
	Tab       *float64       `json:"tab"`
	Page      *float64       `json:"page"`
	Detail    listing.Detail `json:"detail"`
	MaxTokens *float64       `json:"maxTokens"`
	Cursor    string         `json:"cursor"`
}

// maxTokens returns the limit in tokens; it chooses one if the arguments give none. A list of one page by its index
// has no limit, because it has always been complete.
func (a *listArguments) maxTokens() int {
	switch {
	case a.MaxTokens != nil:
		return int(min(*a.MaxTokens, 1e9))
	case a.Tab != nil, a.Detail != "", a.Cursor != "":
		return listing.DefaultMaxTokens
	case a.Page != nil:
		return 0
	}
	return listing.OverviewTokens
}

// listPages implements list_webmcp_tools.
func (s *Handler) listPages(ctx context.Context, c ToolCall, a listArguments) wire.Reply {
	_ = c.needBrowser(ctx, s) // the list describes the browser's status
	titles := s.titles(ctx, c)
	now := c.Client.View.Catalog(s.Current.Load())
	titled := now.Catalog.WithTitles(titles)
	r := listing.Request{Catalog: titled, Detail: a.Detail, MaxTokens: a.maxTokens(), To: s.VisibleToolsFor(c.Client)}
	if refused := s.listScope(&r, a); refused != nil {
		return done(*refused)
	}
	is := listing.List(r)
	seen := view.Seen{Catalog: is.Read, Page: is.Page, Part: is.Part}
	if is.Read == titled { // clients count as having read the served catalog, not the copy that WithTitles made
		seen.Catalog = now.Catalog
	}
	return c.Client.Reads(done(is.Result), seen)
}

// listScope finds the tab and the position that the arguments mean, or says why it can't.
func (s *Handler) listScope(r *listing.Request, a listArguments) (refused *registry.Result) {
	refuse := func(why string) *registry.Result { return new(sanitize.ErrorResult(why)) }
	switch {
	case a.Cursor != "":
		from, ok := listing.ReadCursor(a.Cursor)
		if !ok {
			return refuse("The cursor is none that this tool gave as nextCursor. Leave it out to begin at the beginning.")
		}
		if r.From, r.Detail = from, from.Detail(); !from.Placed(r.Catalog) {
			return refuse("The list can't go on: the tab at which it stopped was closed. Leave out cursor to " +
				"begin again.")
		}
		if id := float64(from.Tab()); id != 0 {
			a.Tab, a.Page = &id, nil
		}
	case a.Tab != nil && a.Page != nil:
		return refuse("Give tab (a tab's id) or page (a page's index), not both.")
	}
	switch {
	case a.Tab != nil:
		tab, err := focus.FindTab(r.Catalog, *a.Tab)
		if err != nil {
			return refuse(registry.Sentence(err.Error()))
		}
		r.Tab = tab
	case a.Page != nil:
		if r.Tab = tabAt(r.Catalog, int(*a.Page)); r.Tab == nil {
			return new(noPage(r.Catalog, int(*a.Page), r.To))
		}
	}
	return nil
}
