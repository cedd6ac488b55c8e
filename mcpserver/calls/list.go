package calls

import (
	"context"

	"webmcphub/registry"

	"webmcphub/mcpserver/listing"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// listArguments are the arguments of list_webmcp_tools.
type listArguments struct {
	Tab       *float64       `json:"tab"`
	Page      *float64       `json:"page"`
	Detail    listing.Detail `json:"detail"`
	MaxTokens *float64       `json:"maxTokens"`
	Cursor    string         `json:"cursor"`
}

// plain reports whether all arguments have their defaults.
func (a *listArguments) plain() bool { return *a == listArguments{} }

// maxTokens returns the limit in tokens; it chooses one if the arguments give none. A list of one page, chosen by
// page, has always been complete, so it has no limit.
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
func (s *Handler) listPages(ctx context.Context, c ToolCall) wire.Reply {
	var a listArguments
	if wrong := s.readArguments(c, []byte(listing.ListInput), &a); wrong != "" {
		return done(sanitize.ErrorResult(wrong))
	}
	_ = c.needBrowser(ctx, s) // the list says what is wrong with the browser
	titles := s.titles(ctx, c)
	now := c.Client.View.Catalog(s.Current.Load())
	titled := now.Catalog.WithTitles(titles)
	if a.plain() && titled == now.Catalog && c.Client.View.View().Mode == view.AllTabs {
		o := now.Overview()
		return c.Client.Reads(done(o.Result), view.Seen{Catalog: o.Read})
	}
	r := listing.Request{Catalog: titled, Detail: a.Detail, MaxTokens: a.maxTokens(), To: s.VisibleToolsFor(c.Client)}
	if refused := s.listScope(&r, a); refused != nil {
		return done(*refused)
	}
	is := listing.List(r)
	seen := view.Seen{Catalog: is.Read, Page: is.Page, Part: is.Part}
	if is.Read == titled { // clients never see a catalog that Titled made
		seen.Catalog = now.Catalog
	}
	return c.Client.Reads(done(is.Result), seen)
}

// listScope finds the tab and the position that the arguments mean, or says why it can't.
func (s *Handler) listScope(r *listing.Request, a listArguments) (refused *registry.Result) {
	refuse := func(why string) *registry.Result {
		no := sanitize.ErrorResult(why)
		return &no
	}
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
			no := noPage(r.Catalog, int(*a.Page), r.To)
			return &no
		}
	}
	return nil
}

// overall returns the answer of list_webmcp_tools without arguments for clients that see all tabs.
func (s *Handler) overall(c *registry.Catalog) view.Overview {
	is := listing.List(listing.Request{Catalog: c, MaxTokens: listing.OverviewTokens, To: s.options.allTabsVisible()})
	return view.Overview{Result: is.Result, Read: is.Read}
}
