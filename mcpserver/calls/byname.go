package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// callArguments are the arguments of call_webmcp_tool. Numbers are float64 because 1.0 is an integer in JSON too.
type callArguments struct {
	Name      string          `json:"name"`
	Page      *float64        `json:"page"`
	Tab       *float64        `json:"tab"`
	Arguments json.RawMessage `json:"arguments"`
}

// callByName implements call_webmcp_tool.
func (s *Handler) callByName(ctx context.Context, c ToolCall, a callArguments) wire.Reply {
	c.awaitTool(ctx, s, func(now *registry.Catalog) bool { return there(now, a.Name) })
	c.Args, c.tab = a.Arguments, a.Tab
	return done(s.callNamed(ctx, c, a.Name, a.Page))
}

// there reports whether name is a tool's hub name, or a page's own name for a tool.
func there(now *registry.Catalog, name string) bool {
	return now.Lookup(name) != nil || len(named(now.Tabs(), name)) > 0
}

// callNamed calls a page's tool by its hub name or by the page's own name for it. It looks on the call's tab, on the
// page with the given index or, if both are nil, on all pages.
func (s *Handler) callNamed(ctx context.Context, c ToolCall, name string, index *float64) registry.Result {
	c.to = s.VisibleToolsFor(c.Client)
	now := c.Client.View.Catalog(s.Current.Load()).Catalog
	page, refused := c.given(now, index)
	if refused != nil {
		return *refused
	}
	tool, wrong := c.find(now, name, page)
	if tool == nil {
		h := withheldAs(now, name, page)
		if h == nil {
			h = registry.WithheldNow(c.Client.View.KnowingName(now, name), now, name)
		}
		if h != nil {
			return s.acceptFirst(ctx, c, now, h)
		}
	}
	if wrong != "" {
		return sanitize.ErrorResult(wrong)
	}
	return s.ask(ctx, c, tool)
}

// given finds the page that the client names by its tab's id, by its index, or by both. It returns a nil page if the
// client names none.
func (c ToolCall) given(now *registry.Catalog, index *float64) (page *registry.Tab, refused *registry.Result) {
	if index != nil {
		if page, refused = c.page(now, int(*index)); refused != nil {
			return nil, refused
		}
	}
	if c.tab == nil {
		return page, nil
	}
	tab, err := focus.FindTab(now, *c.tab)
	if err == nil && page != nil && page != tab {
		err = fmt.Errorf("page %d is tab %d, and not tab %d: give one of them", page.Index, page.ID, tab.ID)
	}
	if err != nil {
		return nil, new(sanitize.ErrorResult(registry.Sentence(err.Error())))
	}
	return tab, nil
}

// calls returns the name of a page for the client: "tab 3" if the client gave a tab's id, else "page 3".
func (c ToolCall) calls(page *registry.Tab) string {
	if c.tab != nil {
		return fmt.Sprintf("tab %d", page.ID)
	}
	return fmt.Sprintf("page %d", page.Index)
}

// page finds the page that the client means by an index, or returns a result that says why it can't.
func (c ToolCall) page(now *registry.Catalog, index int) (*registry.Tab, *registry.Result) {
	page := tabAt(now, index)
	if page == nil {
		return nil, new(noPage(now, index, c.to))
	}
	if seen := c.Client.View.Knowing(page.Page,
		func(seen *registry.Catalog) bool { return tabAt(seen, index) != nil }); seen != nil {
		if was := tabAt(seen, page.Index); was != nil && was.Page != page.Page {
			return nil, new(sanitize.ErrorResult(fmt.Sprintf("Page %d is another page now: %s. %s.", page.Index,
				page.Address.Shown(200), c.to.ListAgain())))
		}
	}
	return page, nil
}

// find finds the tool that the client means by a hub name or by a page's own name. It looks on one page or, if page
// is nil, on all. It finds tools even while the listing of page tools is switched off. wrong says why there is no
// such tool.
func (c ToolCall) find(now *registry.Catalog, name string, page *registry.Tab) (tool *registry.HubTool, wrong string) {
	if t, known, err := c.published(now, name); known {
		switch {
		case err != nil:
			return nil, err.Error()
		case page != nil && t.Route.Page != page.Page:
			return nil, fmt.Sprintf("%s is not a tool of %s. %s, or leave that out.", sanitize.Text(name, 200),
				c.calls(page), c.to.ListAgain())
		}
		return t, ""
	}
	tabs := now.Tabs()
	if page != nil {
		tabs = []*registry.Tab{page}
	}
	found := named(tabs, name)
	switch len(found) {
	case 0:
		return nil, c.missing(now, name, page)
	case 1:
		return found[0], c.stale(found[0], name, page != nil)
	}
	names := sanitize.List(found, 10, func(t *registry.HubTool) string {
		return fmt.Sprintf("%s (%s)", t.Name, now.Tab(t.Route.Page).Address.Shown(100))
	})
	return nil, fmt.Sprintf("%d tools are called %s. Call one by its full name: %s.", len(found),
		sanitize.Text(name, 200), names)
}

// published resolves a hub name that is in the list that the client has read, or in the current catalog.
func (c ToolCall) published(now *registry.Catalog, name string) (t *registry.HubTool, known bool, err error) {
	seen := c.Client.View.KnowingName(now, name)
	if now.Lookup(name) == nil && (seen == nil || seen.Lookup(name) == nil || len(named(now.Tabs(), name)) > 0) {
		return nil, false, nil
	}
	t, err = registry.Resolve(seen, now, name, c.to)
	return t, true, err
}

// named returns the tool whose hub name is name or, if there is none, the tools to which their pages gave that name.
func named(tabs []*registry.Tab, name string) (own []*registry.HubTool) {
	for _, tab := range tabs {
		for _, t := range tab.Tools {
			if t.Name == name {
				return []*registry.HubTool{t}
			}
			if t.Route.Tool == name {
				own = append(own, t)
			}
		}
	}
	return own
}

// stale reports that the name meant another page's tool when the client read the list; it returns "" if it did not.
// If the client gave the page, find has compared the page already.
func (c ToolCall) stale(t *registry.HubTool, name string, pageGiven bool) (wrong string) {
	seen := c.Client.View.Knowing(t.Route.Page,
		func(seen *registry.Catalog) bool { return len(named(seen.Tabs(), name)) > 0 })
	if seen == nil || pageGiven && t.Name != name {
		return ""
	}
	was := named(seen.Tabs(), name)
	same := func(o *registry.HubTool) bool { return o.Route.Page == t.Route.Page }
	if len(was) == 0 || slices.ContainsFunc(was, same) {
		return ""
	}
	return fmt.Sprintf("%s was a tool of another page when you listed the tools; now only %s is called so. %s and "+
		"call that if you mean it.", sanitize.Text(name, 200), t.Name, c.to.ListAgain())
}

func (c ToolCall) missing(now *registry.Catalog, name string, page *registry.Tab) string {
	if page == nil {
		_, err := registry.Resolve(nil, now, name, c.to) // Resolve suggests the nearest names
		if slices.ContainsFunc(now.Tabs(), func(t *registry.Tab) bool { return !t.Connected() }) {
			return c.to.SomeNotConnected(fmt.Sprint(err))
		}
		return fmt.Sprint(err)
	}
	if page.State != "" {
		return registry.Sentence(fmt.Sprintf("%s (%s) has no tools now: it %s.", c.calls(page), page.Address.Shown(200),
			c.to.State(page.Condition())))
	}
	if len(page.Tools) == 0 {
		return registry.Sentence(fmt.Sprintf("%s (%s) has no tools now.", c.calls(page), page.Address.Shown(200)))
	}
	names := sanitize.List(page.Tools, 20, func(t *registry.HubTool) string { return sanitize.Text(t.Route.Tool, 128) })
	return registry.Sentence(fmt.Sprintf("%s (%s) has no tool called %s. It has: %s.", c.calls(page),
		page.Address.Shown(200), sanitize.Text(name, 200), names))
}
