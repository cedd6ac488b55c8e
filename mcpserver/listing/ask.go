package listing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/find"
	"webmcphub/registry/focus"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Asker is the client that searches for tools.
type Asker struct {
	Session    string // "" for a client without one
	ClientView *view.ClientView
	To         registry.VisibleTools
	// Kept reports that another client keeps a tab to itself.
	Kept func(tab *registry.Tab) bool
}

// Answer returns the result of find_webmcp_tools, and what its client has seen once it reads the result.
func (f *Finder) Answer(ctx context.Context, a FindArguments, by Asker) (registry.Result, view.Seen) {
	one := asking{finder: f, FindArguments: a, Asker: by, kept: map[registry.PageID]bool{}, shown: nil}
	if by.ClientView.Settings().Mode == view.FocusedTab {
		shown, _ := by.ClientView.Shown()
		one.shown = &shown
	}
	if wrong := one.wrong(f.current().Catalog); wrong != "" {
		return sanitize.ErrorResult(registry.Sentence(wrong)), view.Seen{}
	}
	return one.answer(ctx)
}

// asking is one search by a client.
type asking struct {
	FindArguments
	Asker
	finder *Finder
	shown  *focus.View              // not nil in focus mode
	kept   map[registry.PageID]bool // tabs with tools that other clients keep to themselves
}

// wrong says what is wrong with the arguments, or returns "".
func (q *asking) wrong(now *registry.Catalog) string {
	if q.shown != nil {
		if q.shown.Tab == nil {
			return fmt.Sprint(focus.RefuseCoreTool(q.shown.State, q.shown.Catalog, FindToolName, q.To))
		}
		return ""
	}
	if status := now.BrowserStatus(); status != "" && len(now.Tabs()) == 0 && len(now.SiteTools()) == 0 {
		return "no tools can be found now: " + q.To.Status(status)
	}
	if q.Tab != nil {
		if _, err := focus.FindTab(now, *q.Tab); err != nil {
			return err.Error()
		}
	}
	of := func(t *registry.Tab) bool { return q.OfSite(names.PageHost(t.URL, t.Origin)) }
	ofSite := func(t *registry.HubTool) bool { return q.sees(nil) && q.OfSite(names.DisplayHost(t.SiteTool.Site)) }
	if q.Site != "" && !slices.ContainsFunc(now.Tabs(), of) && !slices.ContainsFunc(now.SiteTools(), ofSite) {
		return fmt.Sprintf("no open page is of the site %s. %s", sanitize.Text(q.Site, 200), siteMap(now, nil, q.any))
	}
	if q.Empty() && q.Site == "" && q.Tab == nil {
		return "the query is empty: say in a few words what you want to do. " + siteMap(now, nil, q.any)
	}
	return ""
}

func (q *asking) answer(ctx context.Context) (registry.Result, view.Seen) {
	r, err := q.finder.search(ctx, func(now *registry.Catalog) find.Query {
		query := find.Query{Text: q.Query, Limit: q.Most(), Front: now.Front(), Recent: q.finder.used.recent(q.Session),
			Place: q.may, Mixed: q.anywhere()}
		if q.Empty() {
			query.Text = ""
		}
		return query
	})
	if err != nil {
		return sanitize.ErrorResult("The search ended before it could look: " + err.Error() + "."), view.Seen{}
	}
	now := r.now
	if q.shown != nil {
		hits := bareHits(r.found, q.shown)
		return sanitize.StructuredResult(tell(q.FindArguments, hits, r.total, q.notes(now.Catalog, len(hits), r.late))),
			view.Seen{}
	}
	sight := q.ClientView.Catalog(now).Catalog
	var notes []string
	if len(r.found) > 0 && q.anywhere() && !find.IsSure(r.found) {
		notes = []string{"No tool is sure to match, so these are guesses. If none fits, search again with the site that does. " +
			siteMap(now.Catalog, sitesOf(r.found), q.may)}
		r.found = r.found[:min(len(r.found), guesses)]
	}
	hits, tools := hitsAsSeen(r.found, sight)
	notes = append(notes, q.notes(now.Catalog, len(hits), r.late)...)
	result := sanitize.StructuredResult(tell(q.FindArguments, hits, r.total, notes))
	return result, view.Seen{Catalog: sight.WithTools(tools), Part: true}
}

// guesses is how many tools an answer shows if none is sure to match.
const guesses = 3

// anywhere reports whether tools of all sites are searched.
func (q *asking) anywhere() bool { return q.shown == nil && q.Site == "" && q.Tab == nil && !q.Empty() }

// any does what may does, but ignores the site and the tab that the client wants.
func (q *asking) any(tab *registry.Tab, _ string) bool {
	return q.sees(tab) && (tab == nil || q.Kept == nil || !q.Kept(tab))
}

// sitesOf returns the sites of what was found, the best first.
func sitesOf(found []find.Found) (all []string) {
	for _, f := range found {
		all = append(all, f.Site)
	}
	return all
}

// may reports whether the tools of a tab may be found. tab is nil for tools of a site.
func (q *asking) may(tab *registry.Tab, site string) bool {
	switch {
	case q.shown != nil:
		return tab != nil && tab.Page == q.shown.Tab.Page
	case !q.sees(tab) || !q.OfTab(tab) || !q.OfSite(site):
		return false
	case tab != nil && len(tab.Tools) > 0 && q.Kept(tab):
		q.kept[tab.Page] = true
		return false
	}
	return true
}

// sees reports whether the client sees tools of a tab, or tools of sites if tab is nil. A client can call tools of
// sites only if its list contains page tools.
func (q *asking) sees(tab *registry.Tab) bool { return tab != nil || !q.ClientView.Settings().Unlisted }

// notes returns the sentences of the answer besides the tools that were found.
func (q *asking) notes(now *registry.Catalog, found int, late bool) (notes []string) {
	if late {
		notes = append(notes, "Pages have more new tools than could be read in time, so some may be missing here: "+
			"search again in a moment.")
	}
	if status := now.BrowserStatus(); status != "" {
		notes = append(notes, registry.Sentence(q.To.Status(status)))
	}
	if found == 0 {
		note := "No tool matches these words. Try others for the same thing, or leave out site and tab. "
		if q.shown == nil {
			note += siteMap(now, nil, q.any)
		}
		if slices.ContainsFunc(now.Tabs(), func(t *registry.Tab) bool { return !t.Connected() }) {
			note = q.To.SomeNotConnected(note)
		}
		notes = append(notes, strings.TrimSpace(note))
	}
	if len(q.kept) > 0 {
		notes = append(notes, fmt.Sprintf("Tools of %d tabs are left out that other clients keep to themselves.",
			len(q.kept)))
	}
	for _, tab := range now.Tabs() {
		for _, h := range tab.Withheld {
			if is := spelling(h.Tool.Name); is != "" && is == spelling(q.Query) &&
				q.may(tab, names.PageHost(tab.URL, tab.Origin)) {
				return append(notes, fmt.Sprintf("%s of tab %d is %s", sanitize.Text(h.Tool.Name, 128), tab.ID,
					registry.Sentence(h.Why)))
			}
		}
	}
	return notes
}

// spelling returns a name in lower case, with _ between its words, because people write these differently.
func spelling(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }), "_")
}

// hitsAsSeen returns the found tools as the client sees them: there, a tool may have another name, or be missing.
// tools are the tools whose names the answer contains.
func hitsAsSeen(found []find.Found, seen *registry.Catalog) (hits []hit, tools []*registry.HubTool) {
	for _, is := range found {
		tool := sameTool(is.Tool, seen)
		if tool == nil {
			continue
		}
		h := hit{Tool: tool, Tab: is.Tab, Site: is.Site}
		if is.Tab != nil { // the current tab, even if the index is older
			h.Tab = seen.Tab(tool.Route.Page)
			h.Site = names.PageHost(h.Tab.URL, h.Tab.Origin)
		}
		tools = append(tools, tool)
		for _, also := range is.Also[:min(len(is.Also), maxAlso)] {
			if o := sameTool(also, seen); o != nil {
				h.Also, tools = append(h.Also, o.Name), append(tools, o)
			}
		}
		hits = append(hits, h)
	}
	return hits, tools
}

// sameTool returns the tool of another client's catalog that is the same as t, or nil if that catalog doesn't show it.
func sameTool(t *registry.HubTool, seen *registry.Catalog) *registry.HubTool {
	all := seen.SiteTools()
	if t.SiteTool == nil {
		tab := seen.Tab(t.Route.Page)
		if tab == nil {
			return nil
		}
		all = tab.Tools
	}
	same := func(o *registry.HubTool) bool {
		return o.Route == t.Route && (t.SiteTool == nil || o.SiteTool.Site == t.SiteTool.Site)
	}
	if i := slices.IndexFunc(all, same); i >= 0 {
		return all[i]
	}
	return nil
}

// bareHits returns the tools that were found in the focused tab, under the names that its client knows.
func bareHits(found []find.Found, shown *focus.View) (hits []hit) {
	bare := map[offer.Route]*registry.HubTool{}
	for _, t := range shown.Tools {
		bare[t.Route] = t
	}
	for _, is := range found {
		if t := bare[is.Tool.Route]; t != nil {
			hits = append(hits, hit{Tool: t, Tab: is.Tab, Site: is.Site})
		}
	}
	return hits
}
