package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/mcpserver/listing"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

const (
	connectWebMCP    = "connect_webmcp"
	disconnectWebMCP = "disconnect_webmcp"

	connectInput = `{"type":"object","properties":{"page":{"type":"integer","minimum":0,"description":"Index of the page. Default: the focused tab, or every open page if none is focused."}}}`

	connectOutput = `{"type":"object","properties":{"connected":{"type":"boolean"},` + listing.PagesSchema +
		`"required":["name","tool","description","inputSchema"]}}` + listing.PagesSchemaEnd + `,` +
		`"note":{"type":"string","description":"What else there is to know."}},"required":["connected","pages"]}`

	disconnectOutput = `{"type":"object","properties":{"disconnected":{"type":"boolean"},` +
		`"pages":{"type":"array","items":{"type":"object","properties":{"page":{"type":"integer"},"tabId":{"type":"integer"},"url":{"type":"string"}},"required":["page","tabId","url"]}}},"required":["disconnected","pages"]}`
)

// connectTools returns connect_webmcp and disconnect_webmcp. A page is connected for all clients or for none: the
// tools choose whether the hub is attached to it.
func (s *Handler) connectTools() []staticTool {
	return []staticTool{
		ownTool(s, focus.NewTool(connectWebMCP,
			"Connects to the WebMCP tools of a web page and lists them. A page that is connected already stays so. "+
				"It is connected for all clients of this server, also across navigations, until disconnect_webmcp.",
			connectInput, connectOutput, `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}`),
			func(ctx context.Context, c ToolCall, a pageArguments) wire.Reply {
				return s.forPages(ctx, c, a, connectWebMCP, s.connectPages)
			}),
		ownTool(s, focus.NewTool(disconnectWebMCP,
			"Disconnects from a web page: its running calls end and its tools go, for all clients of this server, "+
				"until connect_webmcp. The tab stays open.",
			connectInput, disconnectOutput,
			`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`),
			func(ctx context.Context, c ToolCall, a pageArguments) wire.Reply {
				return s.forPages(ctx, c, a, disconnectWebMCP, s.disconnectPages)
			}),
	}
}

// pageArguments are the arguments of both tools. Page is a float64 because 1.0 is an integer in JSON too.
type pageArguments struct {
	Page *float64 `json:"page"`
}

// forPages makes the checks of both tools, and calls run with the pages that the client means.
func (s *Handler) forPages(ctx context.Context, c ToolCall, a pageArguments, name string,
	run func(context.Context, ToolCall, []*registry.Tab) wire.Reply) wire.Reply {
	if err := c.needBrowser(ctx, s); err != nil {
		return failed(fmt.Errorf("%s can't be called now: %w", name, err))
	}
	shown, _ := c.Client.View.Shown()
	if shown.State == focus.Disconnected || shown.State == focus.NoTabs {
		return failed(focus.RefuseCoreTool(shown.State, shown.Catalog, name, s.VisibleToolsFor(c.Client)))
	}
	c.to = s.VisibleToolsFor(c.Client)
	pages := []*registry.Tab{shown.Tab}
	switch {
	case a.Page != nil:
		page, wrong := c.page(shown.Catalog, int(*a.Page))
		if wrong != nil {
			return done(*wrong)
		}
		pages[0] = page
	case shown.Tab == nil:
		pages = slices.Clone(shown.Catalog.Tabs())
	}
	if len(pages) == 1 {
		c.record.in(pages[0])
	}
	watch := wire.StartClock(c.Client.View.Settings().CallTimeout, c.Cancel)
	defer watch.Stop()
	c.Client.Conn.Limited(c.Request, watch)
	class := Unknown
	if name == disconnectWebMCP { // it ends other clients' calls
		class = Destructive
	}
	for _, p := range pages { // ask about all pages before the first change
		if _, refused := s.judgeTab(ctx, c, name, class, p, "", c.Args); refused != nil {
			return done(*resultOf(refused))
		}
	}
	c.Client.Conn.Changing(c.Request)
	return run(ctx, c, pages)
}

// asOf returns the catalog's current versions of the pages, without those that are gone.
func asOf(now *registry.Catalog, pages []*registry.Tab) (there []*registry.Tab) {
	for _, p := range pages {
		if tab := now.Tab(p.Page); tab != nil {
			there = append(there, tab)
		}
	}
	return there
}

func (s *Handler) connectPages(ctx context.Context, c ToolCall, pages []*registry.Tab) wire.Reply {
	var failures []error
	fresh := slices.DeleteFunc(slices.Clone(pages), (*registry.Tab).Connected)
	for _, p := range fresh {
		if err := s.options.Browser.ConnectPage(ctx, p.Page); err != nil {
			failures = append(failures, fmt.Errorf("page %d (%s) was not connected: %w", p.Index, p.Address.Shown(200),
				err))
		}
	}
	connected := func(now *registry.Catalog) []*registry.Tab {
		return slices.DeleteFunc(asOf(now, pages), func(p *registry.Tab) bool { return !p.Connected() })
	}
	want := len(pages) - len(failures)
	s.within(ctx, TabAppears, func(now *registry.Catalog) bool {
		gone := len(pages) - len(asOf(now, pages))
		return len(connected(now)) >= want-gone
	})
	if len(failures) == 0 {
		begun := time.Now()
		s.awaitTools(ctx, fresh)
		settled := func(now *registry.Catalog) bool {
			there := connected(now)
			return slices.ContainsFunc(there, hasTools) || !slices.ContainsFunc(there, unready)
		}
		if !settled(s.Current.Catalog()) && s.within(ctx, PageReady-time.Since(begun), settled) != nil {
			s.awaitTools(ctx, pages)
		}
	}
	titles := s.titles(ctx, c)
	shown, seen := c.Client.View.Shown()
	there := connected(shown.Catalog.WithTitles(titles))
	if len(there) == 0 {
		if len(failures) == 0 {
			failures = append(failures, errors.New("the page was not connected: it was closed, or another client "+
				"disconnected it, meanwhile"))
		}
		return failed(errors.Join(failures...))
	}
	none := !slices.ContainsFunc(there, hasTools)
	waiting := 0
	for _, p := range there {
		if why := notReady(p); why != "" && (none || initializing(p)) {
			waiting++
			failures = append(failures, fmt.Errorf("page %d (%s) %s", p.Index, p.Address.Shown(200), why))
		}
	}
	if waiting == len(there) {
		return failed(errors.Join(failures...))
	}
	switch {
	case len(there) == len(shown.Catalog.Tabs()):
		seen.Catalog = shown.Catalog
	case len(there) == 1:
		seen.Catalog, seen.Page = shown.Catalog, there[0].Page
	}
	r := struct {
		Connected bool           `json:"connected"`
		Pages     []listing.Page `json:"pages"`
		Note      string         `json:"note,omitempty"`
	}{Connected: true, Pages: pagesJSON(c.Client.View.Settings().Mode, there, shown, c.to)}
	if none {
		r.Note = "No tools so far: the page may register some later, and they show then. Pages offer them by " +
			"document.modelContext (WebMCP, in a secure context: https or localhost) or @mcp-b/global."
		for _, p := range there {
			if loading(p) {
				failures = append(failures, fmt.Errorf("page %d (%s) is still loading", p.Index, p.Address.Shown(200)))
			}
		}
	}
	for _, err := range failures {
		r.Note = strings.TrimLeft(r.Note+" "+registry.Sentence(err.Error()), " ")
	}
	return c.Client.Reads(done(sanitize.StructuredResult(r)), seen)
}

func (s *Handler) disconnectPages(ctx context.Context, c ToolCall, pages []*registry.Tab) wire.Reply {
	for _, p := range pages {
		if kept := s.Leases.Refusal(p, p.Page, c.Client); kept != "" {
			return failed(errors.New(kept))
		}
	}
	for _, p := range pages {
		if err := s.options.Browser.DisconnectPage(ctx, p.Page); err != nil && s.Current.Catalog().Tab(p.Page) != nil {
			return failed(fmt.Errorf("page %d (%s) was not disconnected: %w", p.Index, p.Address.Shown(200), err))
		}
	}
	if s.within(ctx, TabAppears, func(now *registry.Catalog) bool {
		return !slices.ContainsFunc(asOf(now, pages), (*registry.Tab).Connected)
	}) == nil {
		return failed(errors.New("the page is being disconnected, but its tools have not gone yet; list the tools " +
			"again in a moment"))
	}
	type pageJSON struct {
		Page  int    `json:"page"`
		TabID int    `json:"tabId"`
		URL   string `json:"url"`
	}
	r := struct {
		Disconnected bool       `json:"disconnected"`
		Pages        []pageJSON `json:"pages"`
	}{true, []pageJSON{}}
	for _, p := range pages {
		r.Pages = append(r.Pages, pageJSON{p.Index, int(p.ID), p.Address.Shown(2048)})
	}
	return done(sanitize.StructuredResult(r))
}

func hasTools(p *registry.Tab) bool { return len(p.Tools) > 0 }

// initializing reports that the page has no tools yet and has an MCP server that has not answered initialize.
func initializing(p *registry.Tab) bool { return !hasTools(p) && p.Readiness == registry.Initializing }

// loading reports that the page has no tools yet and is still being loaded.
func loading(p *registry.Tab) bool { return !hasTools(p) && p.Readiness == registry.StillLoading }

// unready reports that the page has no tools yet and is still loading, or initializing its server.
func unready(p *registry.Tab) bool { return initializing(p) || loading(p) }

// notReady says why the page has no tools. It returns "" if the page has tools, or may still get some without the
// user doing anything.
func notReady(p *registry.Tab) string {
	switch {
	case initializing(p):
		return "has an MCP server that has not answered initialize. Its tools show when it does; reload the page, or " +
			"look at its console"
	case p.Readiness == registry.NoWebMCP:
		return "has no WebMCP: it has loaded without document.modelContext (which needs a secure context, https or localhost, " +
			"and a browser with WebMCP switched on) and without @mcp-b/global. Should it get tools later, they show then"
	}
	return ""
}

// pagesJSON describes pages. In focus mode the tools of the focused page have the names by which the client sees
// them.
func pagesJSON(mode view.Mode, pages []*registry.Tab, shown focus.View, to registry.VisibleTools) []listing.Page {
	described := listing.Pages(pages, to)
	for i, p := range pages {
		if mode != view.FocusedTab || shown.Tab == nil || p.Page != shown.Tab.Page {
			continue
		}
		bare := map[offer.Route]string{}
		for _, t := range shown.Tools {
			bare[t.Route] = t.Name
		}
		for j, t := range p.Tools {
			if name, ok := bare[t.Route]; ok {
				described[i].Tools[j].Name = name
			}
		}
	}
	return described
}
